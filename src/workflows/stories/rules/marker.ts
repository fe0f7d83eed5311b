import type { StepId } from '../../../core/table.ts'
import type { ReviewMode, ReviewSnapshot } from './review-rules.ts'

/** The content of `.ralph-active`, for hooks and people. Its last field is `preIterationSnapshot`. */
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

/** The same for the Stop gate, kept out of the agent's sight. */
export type GateSnapshot = Pick<Marker, 'skipReview' | 'reviewCap' | 'iterationMode'> & {
  /** Paths that were not committed when the iteration began. */
  dirtyBefore: readonly string[]
  /** The step that it was written for. */
  step: StepId
}

/** Either of them in JSON, with the snapshot as an object by the ids of the stories. */
export const withSnapshot = (fields: Marker | GateSnapshot, snapshot: ReviewSnapshot): string => {
  const stories = snapshot.map(
    ({ id, passes, reviewStatus, reviewCount }) => [id, { passes, reviewStatus, reviewCount }] as const,
  )
  return `${JSON.stringify({ ...fields, preIterationSnapshot: Object.fromEntries(stories) }, null, 2)}\n`
}

/** The snapshot in a file that others can write too. Null if it is not valid, or of another step. */
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
