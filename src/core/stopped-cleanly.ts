import type { RunEvent } from './events.ts'

/**
 * Whether the last incarnation stopped cleanly: it judged what its agents wrote, so a later difference is a person's
 * edit. After a crash or an unexpected error nobody can tell, and a difference counts as the agent's.
 */
export function stoppedCleanly(events: readonly RunEvent[]): boolean {
  const last = events.findLast(({ type }) => type === 'started' || type === 'resumed' || type === 'stopped')
  return last?.type === 'stopped' && last.cleanly === true
}
