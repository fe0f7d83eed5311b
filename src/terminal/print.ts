import { forScreen } from '../core/format.ts'
import { printable, printableLine } from '../core/visible.ts'

// The one place that prints what commands say. Whatever a text holds, from a project, an agent or git, a terminal obeys
// nothing in it but ralph's own colours. A run's console has its own way (console.ts), for its speed.

type Stream = Pick<NodeJS.WriteStream, 'isTTY' | 'columns' | 'write'>

/** Functions, because Node takes a while to create the streams. */
const safeStream = (stream: () => Stream, isStyled: () => boolean) => ({
  get isTTY() {
    return stream().isTTY
  },
  get columns() {
    return stream().columns
  },
  write: (text: string) => stream().write(printable(text, isStyled())),
})

/** This process, for what acts on runs from outside. */
export const safeIo = (env: NodeJS.ProcessEnv) => ({
  stdout: safeStream(
    () => process.stdout,
    () => process.stdout.isTTY || Boolean(env.FORCE_COLOR),
  ),
  stderr: safeStream(
    () => process.stderr,
    () => false,
  ),
  env,
})

/** For programs: lines as they are. */
export const print = (line: string): void => void process.stdout.write(`${printable(line)}\n`)

/** For people. Returns the exit code of a command that has nothing else to do. */
export function printText(text: string): number {
  print(forScreen(text, process.stdout))
  return 0
}

export const printError = (line: string): void => void process.stderr.write(`${printable(line)}\n`)

/** For people. */
export const complain = (line: string): void => printError(forScreen(line, process.stderr))

export const warn = (note: string): void => complain(`ralph: warning: ${printableLine(note)}`)

/** An error in one line; `details`: its stack, in several. */
export const printFailure = ({ message, stack }: Error, details: boolean): void =>
  details ? printError(`ralph: error: ${stack}`) : complain(`ralph: error: ${printableLine(message)}`)
