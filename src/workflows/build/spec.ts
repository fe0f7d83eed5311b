import * as z from 'zod/mini'
import type { RunSpec } from '../spec.ts'
import { specSchema } from '../spec.ts'
import type { CheckedList } from './rules/planned.ts'

export type BuildSpec = RunSpec & {
  /** What to build: a text, a file, or a finished list. */
  goal: { type: 'goal'; text: string } | { type: 'spec' | 'list'; path: string; text: string }
  refine: 'ask' | 'auto' | 'off'
  /** Whether a person must approve the list, if there is one to ask. */
  asks: boolean
  planOnly: boolean
  /** The given list, if nothing has to be planned. Not pinned, because the first event has its tasks. */
  list: CheckedList | null
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
