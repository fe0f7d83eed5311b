import * as z from 'zod/mini'
import type { RunSpec } from '../spec.ts'
import { specSchema } from '../spec.ts'

export type PromptSpec = RunSpec & {
  prompt: { type: 'text'; text: string } | { type: 'file'; path: string }
  condition: {
    response: string | null
    pattern: string | null
    /** Green checks are enough. */
    untilGreen?: true
    /** So are this many iterations in a row that change nothing and leave the checks green; absent: they are not. */
    unchanged?: number
  }
}

export const promptSchema = specSchema({
  prompt: z.discriminatedUnion('type', [
    z.looseObject({ type: z.literal('text'), text: z.string() }),
    z.looseObject({ type: z.literal('file'), path: z.string() }),
  ]),
  condition: z.looseObject({
    response: z.nullable(z.string()),
    pattern: z.nullable(z.string()),
    untilGreen: z.optional(z.literal(true)),
    unchanged: z.optional(z.number()),
  }),
})
