import { runInNewContext } from 'node:vm'
import { UsageError } from '../../core/usage-error.ts'

/** A pattern that takes longer has gone astray; it then counts as not matched. */
const TIMEOUT_MS = 1000

/** A JavaScript pattern; a leading `(?i)` or `(?s)`, as other tools write it, is understood. */
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

/** Matches within a bounded time: some patterns would backtrack for years. */
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
