import type { Finding } from '../../../core/events.ts'
import { HALF_EDITED } from '../../shared/prompt-parts.ts'

/**
 * The sentence that tells the agent how to report that it is done. Null if it needs none. With a done pattern the
 * user's prompt already says how, and a second way would confuse the agent.
 */
export function completionHint(
  { response, pattern }: { response: string | null; pattern: string | null },
  hasChecks: boolean,
): string | null {
  if (response === null || pattern !== null) return null
  const how = `When everything asked for is done, and only then, end your final message with <response>${response}</response>`
  return hasChecks ? `${how}; the project's checks are then run to verify it.` : `${how}.`
}

/**
 * The prompt of one iteration, with the checks that failed last: PREPENDs, then the base prompt (or the REPLACEs
 * instead of it), then APPENDs, each in the order of the settings. The hint comes last, and only with the base prompt:
 * an agent that sees only a failed check cannot know whether everything is done.
 */
export function promptText(
  base: string,
  options: {
    lastRed: Finding[]
    count: string | null
    interrupted: boolean
    doubts: readonly string[]
    instructions: readonly string[]
    hint: string | null
  },
): string {
  const notes = (action: Finding['action']) =>
    options.lastRed.filter(f => f.action === action).map(f => f.note)
  const replaced = notes('REPLACE')
  // Only a tag in the user's prompt counts: one in the output of a check is no request.
  const needsHint = replaced.length === 0 && !/<response>/i.test(base)
  return [
    options.count,
    options.interrupted ? HALF_EDITED : null,
    ...notes('PREPEND'),
    ...(replaced.length > 0 ? replaced : [base]),
    ...notes('APPEND'),
    ...options.doubts,
    ...options.instructions.map(text => `Instruction from the user: ${text}`),
    needsHint ? options.hint : null,
  ]
    .filter(part => part !== null)
    .join('\n\n')
}
