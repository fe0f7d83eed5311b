import type { StepId } from '../../../core/table.ts'
import type { ReviewMode, ReviewSnapshot } from './review-rules.ts'

/** `.ralph-active`: tells hooks and people about a running story loop. Its last field is `preIterationSnapshot`. */
export type Marker = {
  timestamp: string
  pid: number
  max_iterations: number | null
  /** Where the agent runs. */
  mode: 'direct'
  skipReview: boolean
  reviewCap: number
  iterationMode: ReviewMode
}

/**
 * The same for the Stop gate, kept out of the agent's sight. `dirtyBefore`: paths that were dirty before. `step`: the step that it was
 * written for.
 */
export type GateSnapshot = Pick<Marker, 'skipReview' | 'reviewCap' | 'iterationMode'> & {
  dirtyBefore: readonly string[]
  step: StepId
}

/** Either of them in JSON, with the snapshot: an object, by the ids of the stories. */
export const withSnapshot = (fields: Marker | GateSnapshot, snapshot: ReviewSnapshot): string => {
  const stories = snapshot.map(
    ({ id, passes, reviewStatus, reviewCount }) => [id, { passes, reviewStatus, reviewCount }] as const,
  )
  return `${JSON.stringify({ ...fields, preIterationSnapshot: Object.fromEntries(stories) }, null, 2)}\n`
}

/** The snapshot in a file that others can write too; null if it is not valid, or of another step. */
export function snapshotFrom(gate: unknown, step: StepId): ReviewSnapshot | null {
  if (!isObject(gate) || gate.step !== step) return null
  const stories = gate.preIterationSnapshot
  return isObject(stories) && Object.values(stories).every(isObject) ? snapshotOf(stories) : null
}

/** The snapshot that such an object means. */
export const snapshotOf = (stories: Record<string, unknown>): ReviewSnapshot =>
  Object.entries(stories as Record<string, Omit<ReviewSnapshot[number], 'id'>>).map(([id, state]) => ({
    ...state,
    id,
  }))

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null
