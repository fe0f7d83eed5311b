import { forScreen } from '../core/format.ts'

/** What an action uses of the process around it. `process` is one; a test or another program can give its own. */
export type Io = { stdout: Writer; stderr: Writer; env: NodeJS.ProcessEnv }

/** Where text goes. A terminal has a width. */
export type Writer = { isTTY?: boolean; columns?: number; write(text: string): unknown }

/** Prints for people. Returns the exit code of a command that has nothing else to do. */
export function say(to: Writer, text: string): number {
  to.write(`${forScreen(text, to)}\n`)
  return 0
}
