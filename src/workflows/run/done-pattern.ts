import { runInNewContext } from 'node:vm'
import { UsageError } from '../../core/usage-error.ts'

/** A pattern that takes longer counts as not matched. */
const TIMEOUT_MS = 1000

/** Compiles a JavaScript pattern; accepts a leading `(?i)` or `(?s)`, which other tools use. */
function compile(pattern: string): RegExp {
  const lead = /^\(\?([ims]+)\)/.exec(pattern)
  return new RegExp(lead ? pattern.slice(lead[0].length) : pattern, lead?.[1] ?? '')
}

export function checkPattern(pattern: string): void {
  try {
    compile(pattern)
  } catch (error) {
    throw new UsageError(`--done-pattern: ${(error as Error).message}`)
  }
}

/** Matches with a timeout: some patterns would backtrack for years. */
export function matches(pattern: string, text: string): boolean {
  try {
    return (
      runInNewContext('pattern.test(text)', { pattern: compile(pattern), text }, { timeout: TIMEOUT_MS }) ===
      true
    )
  } catch {
    return false
  }
}
