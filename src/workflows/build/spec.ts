import * as z from 'zod/mini'
import { corrections } from '../shared/notes.ts'
import { type RunSpec, specSchema } from '../spec.ts'
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

/** What a build keeps in the journal. */
export const buildNotes = z.object({
  /** The goal that was chosen, after it was refined. */
  goal: z.string(),
  /** What a person wants changed in the list that they were shown: that list, and their words. */
  wishes: z.object({ list: z.array(z.unknown()), words: z.array(z.string()) }),
  /** What was wrong with the last answer of the planner. */
  flaws: z.array(z.string()),
  /** Changes of the list that agents were not allowed to make. */
  corrections,
})
