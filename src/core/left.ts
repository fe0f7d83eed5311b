import type { RunEvent } from './events.ts'

/**
 * Whether the last sitting took its leave. Then what its agents wrote was judged, and what differs from it is people's
 * word; after a crash, or trouble that nobody expected, nobody can tell, and it is judged as the agent's.
 */
export function wasLeft(events: readonly RunEvent[]): boolean {
  const last = events.findLast(({ type }) => type === 'started' || type === 'resumed' || type === 'stopped')
  return last?.type === 'stopped' && last.left === true
}
