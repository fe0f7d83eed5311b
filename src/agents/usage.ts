import type { Usage } from '../core/events.ts'

/** What two parts of a call took together. */
export const addUsage = (sum: Usage | undefined, more: Usage): Usage => ({
  input: (sum?.input ?? 0) + more.input,
  output: (sum?.output ?? 0) + more.output,
  cacheRead: (sum?.cacheRead ?? 0) + more.cacheRead,
  cacheWrite: (sum?.cacheWrite ?? 0) + more.cacheWrite,
})
