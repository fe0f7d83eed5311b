import { type Call, has, list, operands, valuesOf } from './call.ts'

/**
 * What a call starts in its turn: further commands by their words, or scripts by their text. `own` are the words that
 * are left to the call itself: a rule about the words of `rm` does not apply to `sudo`.
 */
type Inner = { words?: string[][]; scripts?: string[]; own?: string[] }

const SHELL = /^(?:ba|z|da|k|mk|pdk|a|fi|tc|c)?sh$|^rbash$/
export const isShell = (name: string): boolean => SHELL.test(name)

const SUDO = '-u -g -h -p -C -r -t -T -D -R -U --user --group --chdir'

/** Programs that start the command behind their options, with the options that take a value. */
const STARTERS: Record<string, string> = {
  sudo: SUDO,
  doas: SUDO,
  env: '-u -C --unset --chdir',
  nice: '-n --adjustment',
  ionice: '-c -n -p',
  time: '-o -f',
  timeout: '-s -k --signal --kill-after',
  gtimeout: '-s -k --signal --kill-after',
  stdbuf: '-i -o -e',
  caffeinate: '-t -w',
  exec: '-a',
  strace: '-o -e -p -s',
  flock: '-w -E --timeout',
  chroot: '--userspec --groups',
  npx: '-p --package',
  xargs: '-n -P -I -L -d -a -E -s --max-args --max-procs --delimiter --arg-file',
  watch: '-n --interval',
  ssh: '-b -c -D -E -e -F -I -i -J -L -l -m -O -o -p -Q -R -S -W -w',
  ...Object.fromEntries(
    list('nohup setsid chronic unbuffer command builtin busybox toybox bunx').map(name => [name, '']),
  ),
}

/** Those that take a word of their own before the command. */
const SKIPS = /^(?:g?timeout|flock|chroot|ssh)$/

function starter({ name, args }: Call): { command: string[]; own: string[] } {
  const values = list(STARTERS[name]!)
  let i = 0
  while (i < args.length && args[i] !== '--' && (args[i]!.startsWith('-') || /^\w+=/.test(args[i]!)))
    i += values.includes(args[i]!) ? 2 : 1
  if (args[i] === '--') i++
  if (SKIPS.test(name)) i++
  return { command: args.slice(i), own: args.slice(0, i) }
}

/** This many lines are put into a command; the rest is judged as words behind it. */
const MOST_LINES = 64

/** The command of `xargs` with the words that it is given. */
function withInput(command: string[], own: string[], text: string): string[][] {
  // By a delimiter, or line by line, a word may have spaces: a whole script for `sh -c`.
  const isSplit = own.some(arg => /^-(?:\w*0|-null|-delimiter|[dIL])/.test(arg))
  const given = [text.split(/\s+/), ...(isSplit ? [text.split(/[\0\n]/)] : [])]
  const [mark] = valuesOf({ args: own }, 'I replace')
  const lines = mark ? text.split('\n', MOST_LINES).filter(Boolean) : []
  return [
    ...given.map(words => [...command, ...words.filter(Boolean)]),
    ...lines.map(line => command.map(word => word.replaceAll(mark!, line))),
  ]
}

/** A shell reads the text behind `-c`, or a file, or its input. */
function shell({ args, input }: Call): Inner {
  const values = '-o +o -O +O --rcfile --init-file'
  const at = args.findIndex(arg => /^-[a-zA-Z]*c[a-zA-Z]*$/.test(arg))
  if (at >= 0) return { scripts: operands(args.slice(at + 1), values).slice(0, 1) }
  const [file] = operands(args, values)
  const readsInput = file === undefined || has({ args }, 's') || file === '-' || file === '/dev/stdin'
  return readsInput && input.text !== null ? { scripts: [input.text] } : {}
}

/** `find … -exec rm {} ;` */
function find({ args }: Call): Inner {
  const words: string[][] = []
  for (let i = 0; i < args.length; i++) {
    if (!/^-(?:exec|execdir|ok|okdir)$/.test(args[i]!)) continue
    const end = args.findIndex((arg, at) => at > i && (arg === ';' || arg === '+'))
    words.push(args.slice(i + 1, end < 0 ? undefined : end))
    if (end < 0) break
    i = end
  }
  return { words }
}

/** What a call starts in its turn; nothing if it starts nothing else. */
export function unwrap(call: Call): Inner {
  const { name, args } = call
  if (isShell(name)) return shell(call)
  if (/^(?:pnpm|yarn|bun)$/.test(name) && /^(?:dlx|exec|x)$/.test(args[0] ?? ''))
    return { words: [args.slice(1)] }
  switch (name) {
    case 'find':
      return find(call)
    case 'eval':
      return { scripts: [args.join(' ')] }
    case 'trap':
      return { scripts: args.slice(0, 1) }
    case 'alias':
      return { scripts: args.map(arg => arg.slice(arg.indexOf('=') + 1)) }
    case 'su':
    case 'script':
      return { scripts: valuesOf(call, 'c command') }
  }
  if (!Object.hasOwn(STARTERS, name)) return {}
  const { command, own } = starter(call)
  if (command.length === 0) return { own }
  // What `ssh` runs on the other machine is judged as if it were this one.
  if (name === 'watch' || name === 'ssh') return { scripts: [command.join(' ')] }
  if (name === 'env' && has({ args: own }, 'S split-string')) return { scripts: [command.join(' ')] }
  return { words: name === 'xargs' ? withInput(command, own, call.input.text ?? '') : [command], own }
}
