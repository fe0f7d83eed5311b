import { plural } from '../../../core/format.ts'
import { AT_CAP, type RunState, type StageTable, taskStateOf } from '../../../core/table.ts'
import type { Task, TaskId } from '../../../core/task.ts'
import { stageOfStory } from './story-edits.ts'
import type { StoriesFile } from './story-file.ts'
import { branchOf } from './templates.ts'

/** A story takes one implementation, one review, and about one more iteration of either kind. */
const USUAL_ITERATIONS = 3

/** Estimates the iterations that the open stories of a file need, and whether they exceed the limit. */
export function estimate(
  file: StoriesFile,
  { skip }: { skip: boolean },
  limit: number | null,
): { text: string; isTight: boolean } {
  const open = file.userStories.filter(story => stageOfStory(story, skip) !== 'done').length
  const perStory = skip ? 1 : USUAL_ITERATIONS
  const needed = open * perStory
  const text = `${plural(open, 'story', 'stories')} × ~${plural(perStory, 'iteration')} each = ~${plural(needed, 'iteration')} needed`
  return { text, isTight: limit !== null && needed > limit }
}

/** Figures about reviews for the end of a loop. */
export function reviewAnalytics(
  tasks: readonly Task[],
  state: RunState,
  table: StageTable,
): {
  reviewed: { task: TaskId; reviews: number; isDone: boolean; isCapped: boolean }[]
  blocked: [TaskId, string][]
} {
  const states = tasks.map(task => ({ id: task.id, ...taskStateOf(table, state, task) }))
  return {
    reviewed: states.map(({ id, rounds, stage, why }) => ({
      task: id,
      reviews: rounds,
      isDone: stage === 'done',
      isCapped: stage === 'done' && why === AT_CAP,
    })),
    blocked: states.filter(({ stage }) => stage === 'blocked').map(({ id, why }) => [id, why]),
  }
}

type Loop = {
  dir: string
  file: StoriesFile
  review: { skip: boolean }
  /** Null outside a repository. */
  start: { branch: string | null } | null
}

/** What people should know before the first iteration. `checks`: how many there are. */
export function storyWarnings(
  { dir, file, review, start }: Loop,
  checks: number,
  limit: number | null,
): string[] {
  const { text, isTight } = estimate(file, review, limit)
  const warnings = isTight ? [`${text}, and the limit is ${limit}; -m raises it`] : []
  if (checks === 0)
    warnings.push(
      `no checks: ${review.skip ? 'nothing verifies' : 'only a review says'} that a story is done; add verifyCommands to ${dir}/tasks.json, or --check`,
    )
  return start === null ? warnings : [...warnings, ...branchWarning(dir, file.branchName, start.branch)]
}

/** The branch name of the template, for stories without a name. Nobody chose it. */
const UNNAMED = branchOf('')

function branchWarning(dir: string, wanted: string, current: string | null): string[] {
  if (wanted === '' || wanted === UNNAMED || wanted === current) return []
  const here = current === null ? 'no branch (HEAD is detached)' : `the branch ${current}`
  return [
    `this is ${here}, but ${dir}/tasks.json is for ${wanted}: commits will go here. If that is not what you want, stop, then: git switch ${wanted} (with -c if there is none yet)`,
  ]
}
