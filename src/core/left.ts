import type { RunEvent } from './events.ts'

/**
 * Whether the last sitting took its leave. Then what its agents wrote was judged, and what differs from it is people's
 * word; after a crash nobody can tell, and it is judged as the agent's.
 */
export const wasLeft = (events: readonly RunEvent[]): boolean =>
  events.findLast(({ type }) => type === 'started' || type === 'resumed' || type === 'stopped')?.type ===
  'stopped'
