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

/** Both in JSON. The snapshot is in both, and it can be long, so its bytes are made once. */
export const withSnapshot = (fields: Marker | GateSnapshot, snapshot: Buffer): Buffer =>
  Buffer.concat([
    Buffer.from(`${JSON.stringify(fields, null, 2).slice(0, -2)},\n  "preIterationSnapshot": `),
    snapshot,
    Buffer.from(END),
  ])

const END = '\n}\n'

/**
 * Makes the JSON of one snapshot after the other: an object, by the ids of the stories. Most stories are the same objects
 * in the next one, and keep their texts.
 */
export function snapshotWriter(): (snapshot: ReviewSnapshot) => Buffer {
  let last: { snapshot: ReviewSnapshot; texts: string[] } = { snapshot: [], texts: [] }
  return snapshot => {
    const texts = snapshot.map((story, at) => (story === last.snapshot[at] ? last.texts[at]! : textOf(story)))
    last = { snapshot, texts }
    return Buffer.from(`{\n    ${texts.join(',\n    ')}\n  }`)
  }
}

const textOf = ({ id, passes, reviewStatus, reviewCount }: ReviewSnapshot[number]): string =>
  `${JSON.stringify(id)}: ${JSON.stringify({ passes, reviewStatus, reviewCount })}`

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
