import { type Call, has, lastOf, operands, valuesOf } from './call.ts'

/**
 * What a call starts in its turn: further commands by their words, or scripts by their text. `own` are the words that
 * are left to the call itself: what is said of `rm` is not said of `sudo`.
 */
export type Inner = { words?: string[][]; scripts?: string[]; own?: string[] }

type Unwrap = (call: Call) => Inner

const SHELL = /^(?:ba|z|da|k|mk|pdk|a|fi|tc|c)?sh$|^rbash$/
export const isShell = (name: string): boolean => SHELL.test(name)

/** Options and assignments in front of a command: `withValue` are those that take the next word. */
const rest =
  (withValue: readonly string[] = [], skip = 0): Unwrap =>
  ({ args }) => {
    let i = 0
    while (i < args.length && args[i] !== '--' && (args[i]!.startsWith('-') || /^\w+=/.test(args[i]!)))
      i += withValue.includes(args[i]!) ? 2 : 1
    if (args[i] === '--') i++
    return { words: [args.slice(i + skip)], own: args.slice(0, i + skip) }
  }

function sudo(call: Call): Inner {
  return rest([
    '-u',
    '-g',
    '-h',
    '-p',
    '-C',
    '-r',
    '-t',
    '-T',
    '-D',
    '-R',
    '-U',
    '--user',
    '--group',
    '--chdir',
  ])(call)
}

function env(call: Call): Inner {
  const at = call.args.findIndex(arg => arg === '-S' || arg === '--split-string')
  if (at >= 0) return { scripts: [call.args.slice(at + 1).join(' ')] }
  return rest(['-u', '-C', '--unset', '--chdir'])(call)
}

/** As many lines are put into a command; the rest is judged as words behind it. */
const MOST_LINES = 64

function xargs(call: Call): Inner {
  const values = [
    '-n',
    '-P',
    '-I',
    '-L',
    '-d',
    '-a',
    '-E',
    '-s',
    '--max-args',
    '--max-procs',
    '--delimiter',
    '--arg-file',
  ]
  const { words, own } = rest(values)(call)
  const text = call.input.text ?? ''
  const [command = []] = words!
  // By a delimiter, or line by line, a word may have spaces: a whole script for `sh -c`.
  const isSplit = own!.some(arg => /^-(?:\w*0|-null|-delimiter|[dIL])/.test(arg))
  const given = [text.split(/\s+/), ...(isSplit ? [text.split(/[\0\n]/)] : [])]
  const commands = given.map(list => [...command, ...list.filter(word => word !== '')])
  const [mark] = valuesOf({ args: own! }, 'I', 'replace')
  const lines = mark ? text.split('\n', MOST_LINES).filter(line => line !== '') : []
  for (const line of lines) commands.push(command.map(word => word.replaceAll(mark!, line)))
  return { words: command.length > 0 ? commands : [], own: own! }
}

/** A shell reads what `-c` says, else a file, else its input. */
function shell({ args, input }: Call): Inner {
  const at = args.findIndex(arg => /^-[a-zA-Z]*c[a-zA-Z]*$/.test(arg))
  if (at >= 0) return { scripts: operands(args.slice(at + 1), ['-o', '+o', '-O', '+O']).slice(0, 1) }
  const file = operands(args, ['-o', '+o', '-O', '+O', '--rcfile', '--init-file'])
  const readsInput = file.length === 0 || has({ args }, 's') || file[0] === '-' || file[0] === '/dev/stdin'
  return readsInput && input.text !== null ? { scripts: [input.text] } : {}
}

/** `find … -exec rm {} ;`: the command with the places it begins at. */
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

/** `ssh host command`: what the other machine is told is judged as if it were this one. */
function ssh({ args }: Call): Inner {
  const values = '-b -c -D -E -e -F -I -i -J -L -l -m -O -o -p -Q -R -S -W -w'.split(' ')
  let i = 0
  while (i < args.length && args[i]!.startsWith('-')) i += values.includes(args[i]!) ? 2 : 1
  return { scripts: args.length > i + 1 ? [args.slice(i + 1).join(' ')] : [] }
}

const UNWRAP: Record<string, Unwrap> = {
  sudo,
  doas: sudo,
  env,
  xargs,
  parallel: xargs,
  find,
  ssh,
  nohup: rest(),
  setsid: rest(),
  nice: rest(['-n', '--adjustment']),
  ionice: rest(['-c', '-n', '-p']),
  chronic: rest(),
  time: rest(['-o', '-f']),
  timeout: rest(['-s', '-k', '--signal', '--kill-after'], 1),
  gtimeout: rest(['-s', '-k', '--signal', '--kill-after'], 1),
  stdbuf: rest(['-i', '-o', '-e']),
  unbuffer: rest(),
  caffeinate: rest(['-t', '-w']),
  command: rest(),
  builtin: rest(),
  exec: rest(['-a']),
  busybox: rest(),
  toybox: rest(),
  strace: rest(['-o', '-e', '-p', '-s']),
  flock: rest(['-w', '-E', '--timeout'], 1),
  chroot: rest(['--userspec', '--groups'], 1),
  npx: rest(['-p', '--package']),
  bunx: rest(),
  watch: call => ({ scripts: rest(['-n', '--interval'])(call).words!.map(words => words.join(' ')) }),
  eval: ({ args }) => ({ scripts: [args.join(' ')] }),
  trap: ({ args }) => ({ scripts: args.slice(0, 1) }),
  alias: ({ args }) => ({ scripts: args.map(arg => arg.slice(arg.indexOf('=') + 1)) }),
  su: call => ({ scripts: valuesAfter(call, '-c', '--command') }),
  script: call => ({ scripts: valuesAfter(call, '-c', '--command') }),
}

const valuesAfter = ({ args }: Call, ...flags: string[]): string[] =>
  args.flatMap((arg, i) => (flags.includes(arg) ? args.slice(i + 1, i + 2) : []))

/** What a call starts in its turn, if it is one that does. */
export function unwrap(call: Call): Inner {
  const name = lastOf(call.name)
  if (isShell(name)) return shell(call)
  if ((name === 'pnpm' || name === 'yarn' || name === 'bun') && /^(?:dlx|exec|x)$/.test(call.args[0] ?? ''))
    return { words: [call.args.slice(1)] }
  return Object.hasOwn(UNWRAP, name) ? UNWRAP[name]!(call) : {}
}
