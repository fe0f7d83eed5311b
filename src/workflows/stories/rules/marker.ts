import type { StepId } from '../../../core/table.ts'
import type { ReviewMode, ReviewSnapshot } from './review-rules.ts'

/** `.ralph-active`: tells hooks and people about a running story loop. */
export type Marker = {
  timestamp: string
  pid: number
  max_iterations: number | null
  /** Where the agent runs. */
  mode: 'direct'
  skipReview: boolean
  reviewCap: number
  iterationMode?: ReviewMode
  preIterationSnapshot?: ReviewSnapshot
}

/**
 * The same for the Stop gate, kept out of the agent's sight. `dirtyBefore`: paths that were dirty before. `step`: the step that it was
 * written for; older runs did not keep it.
 */
export type GateSnapshot = Pick<
  Marker,
  'skipReview' | 'reviewCap' | 'iterationMode' | 'preIterationSnapshot'
> & { dirtyBefore: string[]; step?: StepId }

/** The snapshot in a file that others can write too; null if it is not valid, or of another step. */
export function snapshotFrom(gate: GateSnapshot | null, step: StepId): ReviewSnapshot | null {
  const snapshot: unknown = gate?.step === undefined || gate.step === step ? gate?.preIterationSnapshot : null
  const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null
  return isObject(snapshot) && Object.values(snapshot).every(isObject) ? (snapshot as ReviewSnapshot) : null
}
