import type { ReviewMode, Snapshot } from './review-rules.ts'

/** `.ralph-active`: what hooks and people may know of a story loop while it runs. */
export type Marker = {
  timestamp: string
  pid: number
  max_iterations: number | null
  /** Where the agent runs. */
  mode: 'direct'
  skipReview: boolean
  reviewCap: number
  iterationMode?: ReviewMode
  preIterationSnapshot?: Snapshot
}

/** The same for the Stop gate, kept where an agent does not look for it; `dirtyBefore` is nothing of its doing. */
export type GateSnapshot = Pick<
  Marker,
  'skipReview' | 'reviewCap' | 'iterationMode' | 'preIterationSnapshot'
> & { dirtyBefore: string[] }

/** The snapshot of a file that others could write, too; null if it is no snapshot. */
export function snapshotIn(gate: GateSnapshot | null): Snapshot | null {
  const snapshot: unknown = gate?.preIterationSnapshot
  const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null
  return isObject(snapshot) && Object.values(snapshot).every(isObject) ? (snapshot as Snapshot) : null
}
