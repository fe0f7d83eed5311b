import { evolve, evolveList } from '../../../core/evolve.ts'
import { plural } from '../../../core/format.ts'
import {
  AT_CAP,
  initial,
  isOpen,
  type RunState,
  type StageTable,
  stageOf,
  taskStateOf,
} from '../../../core/table.ts'
import type { Task } from '../../../core/task.ts'
import { stories } from '../table.ts'
import { storyTasks } from './review.ts'
import { personStoryEdits } from './story-edits.ts'
import type { StoriesFile } from './story-file.ts'

/** A story takes one implementation, one review, and about one more iteration of either kind. */
const USUAL_ITERATIONS = 3

/** Estimates the iterations that the open stories of a file need, and whether they exceed the limit. */
export function estimate(
  file: StoriesFile,
  review: { cap: number; skip: boolean; atCap: 'approve' | 'block' },
  limit: number | null,
): { text: string; isTight: boolean } {
  const table = stories(review)
  const all = storyTasks(file)
  const past = personStoryEdits(file, all, initial, table, { skip: review.skip })
  const edit = { type: 'edited', at: 0, by: 'person', ...past } as const
  const tasks = evolveList(all, edit)
  const state = evolve(initial, edit)
  const open = tasks.filter(task => isOpen(stageOf(table, state, task))).length
  const perStory = review.skip ? 1 : USUAL_ITERATIONS
  const needed = open * perStory
  const text = `${plural(open, 'story', 'stories')} × ~${plural(perStory, 'iteration')} each = ~${plural(needed, 'iteration')} needed`
  return { text, isTight: limit !== null && needed > limit }
}

/** Figures about reviews for the end of a loop. */
export function reviewAnalytics(
  tasks: readonly Task[],
  state: RunState,
  table: StageTable,
): { reviews: [string, number][]; capped: string[]; blocked: [string, string][] } {
  const states = tasks.map(task => ({ id: task.id, ...taskStateOf(table, state, task) }))
  return {
    reviews: states.map(({ id, rounds }) => [id, rounds]),
    capped: states.filter(({ stage, why }) => stage === 'done' && why === AT_CAP).map(({ id }) => id),
    blocked: states.filter(({ stage }) => stage === 'blocked').map(({ id, why }) => [id, why]),
  }
}
