import { fileURLToPath } from 'node:url'
import { printed } from './agent-lines.mjs'

/** The scripted agent in Node, for what a shell cannot do. */
const FAKE_AGENT = fileURLToPath(new URL('fake-agent.mjs', import.meta.url))

export type Act = [string, ...unknown[]]

export const saying = (text: string): Act => ['claude', text]

/** What an agent says that has finished, and one that has not. */
export const DONE: Act = saying('Done. <response>DONE</response>')
export const MORE: Act = saying('more')

/** A name, what the prompt must match, and what is done at each such call; the last repeats. */
export type Answer = [name: string, pattern: string, ...calls: Act[][]]

const HEAD = (log: string) =>
  `#!/bin/sh\necho "$*" >> ${quoted(log)}\ncase "$*" in *--help | --version) exit 0 ;; esac\nset -e\n`

/**
 * A program that acts differently each time it is called; the last call repeats. Each call is a dot in the file `count`,
 * its arguments are a line of `log`.
 */
export const countingAgent = (calls: Act[][], { log, count }: { log: string; count: string }): string =>
  `${HEAD(log)}printf . >> ${quoted(count)}\nread -r dots < ${quoted(count)} || :\nnth=\${#dots}\n${inTurn(calls)}`

/**
 * A program that answers by what it is asked: the first pattern that a line of its input matches, and of that one the
 * calls in turn. Each input is kept as a file, `<number>-<name of the pattern>` in the folder `asked`.
 */
export const answeringAgent = (answers: Answer[], { log, asked }: { log: string; asked: string }): string =>
  `${HEAD(log)}[ -d ${quoted(asked)} ] || mkdir ${quoted(asked)}
input=${quoted(asked)}.input.$$
cat > "$input"
answer=$(awk '${FIRST_PATTERN}' - "$input" <<'PATTERNS'
${answers.map(([, pattern]) => pattern).join('\n')}
PATTERNS
)
keep() {
  number=1
  for file in ${quoted(asked)}/*; do [ ! -e "$file" ] || number=$((number + 1)); done
  mv "$input" ${quoted(asked)}/"$(printf %03d "$number")-$1"
  set -- ${quoted(asked)}/???-"$1"
  nth=$#
}
case $answer in
${answers.map(answered).join('')}esac
`

/** The number of the first pattern that any line of the input matches. One program: to ask grep for each would take longer than the work. */
const FIRST_PATTERN = `FNR == NR { patterns[FNR] = $0; first = FNR + 1; next }
{ for (n = 1; n < first; n++) if ($0 ~ patterns[n]) first = n }
END { print first }`

const answered = ([name, , ...calls]: Answer, at: number) =>
  `${at + 1})\nkeep ${quoted(name)}\n${inTurn(calls)};;\n`

function inTurn(calls: Act[][]): string {
  const branches = calls.map(
    (acts, at) => `${at === calls.length - 1 ? '*' : at + 1})\n${commands(acts)};;\n`,
  )
  return `case $nth in\n${branches.join('')}esac\n`
}

/** In the shell if it can do all of it: it starts in a twentieth of the time. */
function commands(acts: Act[]): string {
  const lines = acts.map(command)
  if (lines.every(line => line !== null)) return lines.map(line => `${line}\n`).join('')
  return `exec ${quoted(process.execPath)} ${quoted(FAKE_AGENT)} --script ${quoted(JSON.stringify(acts))}\n`
}

function command([act, ...args]: Act): string | null {
  const [first, second] = args as string[]
  const print = printed[act]
  if (print) return `printf %s ${quoted(print(...(args as never[])))}`
  switch (act) {
    case 'stderr':
      return `printf %s ${quoted(first!)} >&2`
    case 'file':
      return `printf %s ${quoted(second!)} > ${quoted(first!)}`
    case 'append':
      return `printf %s ${quoted(second!)} >> ${quoted(first!)}`
    case 'stdin':
      return `cat > ${quoted(first!)}`
    case 'sleep':
      return `sleep ${Number(first) / 1000}`
    case 'await':
      return `until [ -e ${quoted(first!)} ]; do sleep 0.02; done`
    case 'hang':
      return 'exec sleep 600'
    case 'pid':
      return `echo $$ >> ${quoted(first!)}`
    case 'remove':
      return `rm -rf ${quoted(first!)}`
    case 'child':
      // Only Linux has a program that leads a session of its own.
      return process.platform === 'linux' ? startChild(args[0] as Child) : null
    case 'exit':
      return `exit ${first}`
    default:
      return null
  }
}

type Child = {
  detached?: boolean
  holds?: boolean
  ignoresTerm?: boolean
  clean?: boolean
  floods?: boolean
  pid?: string
  seconds?: number
}

function startChild({ detached, holds, ignoresTerm, clean, floods, pid, seconds = 60 }: Child = {}): string {
  const body = floods ? `timeout ${seconds} yes` : `sleep ${seconds}`
  const words = [
    detached && 'setsid',
    clean && 'env -i',
    `/bin/sh -c '${ignoresTerm ? 'trap "" TERM;' : 'exec'} ${body}'`,
    '</dev/null',
    !(holds || floods) && '>/dev/null 2>&1',
    '&',
    pid && `echo $! >> ${quoted(pid)}`,
  ]
  return words.filter(Boolean).join(' ')
}

const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`
