import * as z from 'zod/mini'
import { corrections } from '../shared/notes.ts'
import { type RunSpec, specSchema } from '../spec.ts'
import { readStoriesWithoutNotes, type StoriesFile } from './rules/story-file.ts'

export type StoriesSpec = RunSpec & {
  /** The folder with the stories, as seen from the project. */
  dir: string
  /** The real path of that folder when the run began, if it was a link that leads out of the project. */
  outside?: string
  /** The target of tasks.json when the run began, if it was a link to a file within the project. */
  target?: string
  /** The story file when the run began. It fixes what the stories ask for and what verifies them. */
  file: StoriesFile
  review: {
    cap: number
    skip: boolean
    atCap: 'approve' | 'block'
    submitWithin: number
    verdictWithin: number
  }
}

const isStoriesFile = (value: unknown): value is StoriesFile => 'file' in readStoriesWithoutNotes(value)

export const storiesSchema = specSchema({
  dir: z.string(),
  outside: z.optional(z.string()),
  target: z.optional(z.string()),
  file: z.custom<StoriesFile>(isStoriesFile, 'not a list of stories'),
  review: z.looseObject({
    cap: z.number(),
    skip: z.boolean(),
    atCap: z.enum(['approve', 'block']),
    submitWithin: z.number(),
    verdictWithin: z.number(),
  }),
})

/** What a story loop keeps in the journal. */
export const storyNotes = z.object({
  /** What agents wrote into the story file without permission, and other faults of theirs, for later prompts. */
  corrections,
  /** Steps whose agents' edits of the stories were judged before their checks ran. */
  judged: z.array(z.number()),
})
