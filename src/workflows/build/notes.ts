import * as z from 'zod/mini'
import { corrections } from '../shared/notes.ts'

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
