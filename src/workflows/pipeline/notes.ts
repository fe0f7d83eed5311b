import * as z from 'zod/mini'
import type { ReviewState } from './rules/reviews.ts'

const finding = z.object({ id: z.string(), path: z.string(), line: z.number(), failure: z.string() })

const reviews: z.ZodMiniType<ReviewState> = z.object({
  step: z.nullable(z.number()),
  open: z.array(finding),
  tree: z.nullable(z.string()),
  dismissed: z.array(z.extend(finding, { why: z.string(), tree: z.nullable(z.string()) })),
  numbered: z.number(),
})

/** What a pipeline keeps in the journal for each task. */
export const pipelineNotes = z.object({
  /** The tree that its work is compared with. */
  base: z.string(),
  reviews,
  /** The step whose rejection did not count, and why. Null after any other step of the task. */
  refused: z.nullable(z.object({ step: z.number(), note: z.string() })),
  /** What reviews found outside of it. */
  followUps: z.array(z.string()),
})
