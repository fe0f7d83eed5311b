import { wrapLines } from '../core/format.ts'
import { printable, printableLine, printableStyled } from '../core/visible.ts'

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
  write: (text: string) => stream().write((isStyled() ? printableStyled : printable)(text)),
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

export const print = (line: string): void => void process.stdout.write(`${printable(line)}\n`)

export const printError = (line: string): void => void process.stderr.write(`${printable(line)}\n`)

/** One line for programs; for a screen it is broken at words. */
export const forScreen = (line: string): string =>
  process.stderr.isTTY ? wrapLines(line, process.stderr.columns || 80) : line

export const warn = (note: string): void => printError(forScreen(`ralph: warning: ${printableLine(note)}`))

/** An error in one line; `details`: its stack, in several. */
export const fail = ({ message, stack }: Error, details: boolean): void =>
  printError(details ? `ralph: error: ${stack}` : forScreen(`ralph: error: ${printableLine(message)}`))
