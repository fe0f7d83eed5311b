import type { Result } from './events.ts'

/** The exit code of a run: 0 the condition was reached, 1 it was not, 130 interrupted. */
export function exitCode(
  ending: { type: 'finished'; result: Result } | { type: 'stopped'; interrupted: boolean },
  hasCondition: boolean,
): 0 | 1 | 130 {
  if (ending.type === 'stopped') return ending.interrupted ? 130 : 1
  if (ending.result === 'complete') return 0
  // With nothing to reach, using all iterations is what was asked.
  return ending.result === 'exhausted' && !hasCondition ? 0 : 1
}
