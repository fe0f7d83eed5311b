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

/** A story takes an implementation, a review, and about one more of either. */
const USUAL = 3

/** How many iterations the open stories of a file may take, and whether the limit leaves room for them. */
export function estimate(
  file: StoriesFile,
  review: { cap: number; skip: boolean; atCap: 'approve' | 'block' },
  limit: number | null,
): { text: string; isTight: boolean } {
  const workflow = stories(review)
  const all = storyTasks(file)
  const past = personStoryEdits(file, all, initial, workflow, { skip: review.skip })
  const edit = { type: 'edited', at: 0, by: 'person', ...past } as const
  const tasks = evolveList(all, edit)
  const state = evolve(initial, edit)
  const open = tasks.filter(task => isOpen(stageOf(workflow, state, task))).length
  const each = review.skip ? 1 : USUAL
  const need = open * each
  const text = `${plural(open, 'story', 'stories')} × ~${plural(each, 'iteration')} each = ~${plural(need, 'iteration')} needed`
  return { text, isTight: limit !== null && need > limit }
}

/** Reviews per story, cap hits loudest; for the end of a loop. */
export function reviewAnalytics(
  tasks: readonly Task[],
  state: RunState,
  workflow: StageTable,
): { reviews: [string, number][]; capped: string[]; blocked: [string, string][] } {
  const stands = tasks.map(task => ({ id: task.id, ...taskStateOf(workflow, state, task) }))
  return {
    reviews: stands.map(({ id, rounds }) => [id, rounds]),
    capped: stands.filter(({ stage, why }) => stage === 'done' && why === AT_CAP).map(({ id }) => id),
    blocked: stands.filter(({ stage }) => stage === 'blocked').map(({ id, why }) => [id, why]),
  }
}
