import type { Finding } from '../../../core/events.ts'
import { HALF_EDITED } from '../../shared/prompt-parts.ts'

/**
 * The sentence that tells the agent how to say that it is done; null if there is none. With a done pattern there is
 * none, because two ways would confuse the agent.
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
 * The prompt of one iteration. What failed last shapes it: PREPENDs, then the base prompt
 * (or the REPLACEs instead of it), then APPENDs, each in the order of the settings. The hint comes last, and only
 * with the base prompt: an agent that sees nothing but a red check cannot know that everything is done.
 */
export function promptText(
  base: string,
  shape: {
    carry: Finding[]
    count: string | null
    interrupted: boolean
    told: readonly string[]
    hint: string | null
  },
): string {
  const notes = (action: Finding['action']) => shape.carry.filter(f => f.action === action).map(f => f.note)
  const replaced = notes('REPLACE')
  // Only the user's own words count: a tag in the output of a check tells the agent nothing.
  const needsHint = replaced.length === 0 && !/<response>/i.test(base)
  return [
    shape.count,
    shape.interrupted ? HALF_EDITED : null,
    ...notes('PREPEND'),
    ...(replaced.length > 0 ? replaced : [base]),
    ...notes('APPEND'),
    ...shape.told.map(text => `Instruction from the user: ${text}`),
    needsHint ? shape.hint : null,
  ]
    .filter(part => part !== null)
    .join('\n\n')
}
