import { forScreen } from '../core/format.ts'
import { plainLine } from '../view/text/plain.ts'

/** What an action uses of the process around it. `process` is one. A test or another program can give its own. */
export type Io = { stdout: Writer; stderr: Writer; env: NodeJS.ProcessEnv }

/** Where text goes. A terminal has a width. */
export type Writer = { isTTY?: boolean; columns?: number; write(text: string): unknown }

/** How wide a page of text is made for it. */
export const pageWidth = ({ columns = 80 }: Writer): number => Math.max(columns, NARROWEST)

const NARROWEST = 40

/** Prints for people. Returns the exit code of a command that has nothing else to do. */
export function say(to: Writer, text: string): number {
  to.write(`${forScreen(text, to)}\n`)
  return 0
}

/**
 * The result of steering a run, in words. `unchanged`: it was so already. `late`: it has not responded in time. `warnings`:
 * what was written into its list, and is not adopted.
 */
export type Answer = { type: 'obeyed' | 'unchanged' | 'late'; text: string; warnings?: readonly string[] }

export const obeyed = (text: string, warnings: readonly string[] = []): Answer => ({
  type: 'obeyed',
  text,
  warnings,
})

/** Prints it for a command, and returns the exit code. */
export function printAnswer(
  { type, text, warnings = [] }: Answer,
  { stdout, stderr }: Omit<Io, 'env'>,
): number {
  for (const note of type === 'unchanged' ? [text] : warnings)
    say(stderr, `ralph: warning: ${plainLine(note, 1000)}`)
  if (type !== 'unchanged') say(type === 'obeyed' ? stdout : stderr, text)
  return type === 'late' ? 1 : 0
}
