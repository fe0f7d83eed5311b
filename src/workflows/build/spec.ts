import * as z from 'zod/mini'
import type { RunSpec } from '../spec.ts'
import { specSchema } from '../spec.ts'
import type { Planned } from './rules/planned.ts'

export type BuildSpec = RunSpec & {
  /** What is to be built: in words, from a file, or a list that somebody made. */
  goal: { type: 'goal'; text: string } | { type: 'spec' | 'list'; path: string; text: string }
  refine: 'ask' | 'auto' | 'off'
  /** Whether the list is shown for approval, where somebody can be asked. */
  asks: boolean
  planOnly: boolean
  /** The list, where it need not be planned. Not pinned: the first event has its tasks. */
  list: Planned | null
}

export const buildSchema = specSchema({
  goal: z.discriminatedUnion('type', [
    z.looseObject({ type: z.literal('goal'), text: z.string() }),
    z.looseObject({ type: z.literal('spec'), path: z.string(), text: z.string() }),
    z.looseObject({ type: z.literal('list'), path: z.string(), text: z.string() }),
  ]),
  refine: z.enum(['ask', 'auto', 'off']),
  asks: z.boolean(),
  planOnly: z.boolean(),
  list: z.null(),
})
