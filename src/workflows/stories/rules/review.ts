import type { Outcome } from '../../../core/events.ts'
import {
  AT_CAP,
  type RunState,
  type StageName,
  type StageTable,
  type TaskState,
  taskStateOf,
} from '../../../core/table.ts'
import { byId, type Task, type TaskId } from '../../../core/task.ts'
import type { ReviewStatus, StoriesFile, Story } from './story-file.ts'

const CAP_MARK = '[AUTO-APPROVED AT CAP]'

/** What a task keeps of a story in addition to title, priority and dependencies. */
export type StorySpec = { acceptanceCriteria: string[]; description?: string }

export const specOf = (task: Task): StorySpec => task.spec as StorySpec

export const storyTasks = (file: StoriesFile): Task[] => file.userStories.map(storyTask)

export const storyTask = (story: Story): Task => ({
  id: story.id,
  title: story.title,
  blockedBy: story.dependsOn ?? [],
  priority: story.priority,
  spec: {
    acceptanceCriteria: story.acceptanceCriteria,
    ...(story.description !== undefined && { description: story.description }),
  } satisfies StorySpec,
})

type Claims = Partial<Pick<Extract<Outcome, { end: 'ok' }>, 'signal' | 'verdict' | 'note'>>

/**
 * Reads what an agent wrote into its story as a claim. `before` is the story as ralph last wrote it. An agent that
 * implements a story can at most submit it, whatever it writes; only a reviewer can give a verdict.
 */
export function storyClaims(
  stage: StageName,
  before: Story | undefined,
  after: Story | undefined,
  { skip = false } = {},
): Claims {
  if (!after) return {}
  if (stage === 'review') return verdictIn(after)
  const submitted = (story: Story) =>
    story.passes || (!skip && (story.reviewStatus === 'needs_review' || story.reviewStatus === 'approved'))
  return { signal: submitted(after) && !(before && submitted(before)) }
}

function verdictIn({ passes, reviewStatus, reviewFeedback }: Story): Claims {
  const note = reviewFeedback.trim()
  const isAtCap = note.startsWith(CAP_MARK)
  if (passes && reviewStatus === 'approved') return { verdict: 'approve', ...(isAtCap && { note }) }
  if (!passes && reviewStatus === 'changes_requested' && note !== '') return { verdict: 'reject', note }
  return {}
}

/** Ralph decides about approval at the cap, not the reviewer, whose concerns count as a rejection. */
export const meantBy = (claims: Claims): Claims =>
  claims.note?.startsWith(CAP_MARK)
    ? { verdict: 'reject', note: claims.note.slice(CAP_MARK.length).trim() }
    : claims

export type ProjectStoriesOptions = {
  skip: boolean
  /** The run's own commands, which replace those in the file. */
  verifyCommands?: string[]
  /** New stories to leave out because they were not accepted. */
  refused?: readonly TaskId[]
}

/**
 * The story file with the run's state written over it. Ralph's own fields and the pinned ones are replaced, removed
 * stories come back where they were, new ones start fresh. Notes, descriptions, order and everything else stay.
 */
export function projectStories(
  found: StoriesFile,
  tasks: readonly Task[],
  state: RunState,
  table: StageTable,
  { skip, verifyCommands, refused = [] }: ProjectStoriesOptions,
): StoriesFile {
  const known = byId(tasks)
  const project = (task: Task, story?: Story) =>
    projectStory(story, task, taskStateOf(table, state, task), { skip })
  const projected = (story: Story): Story => {
    const task = known.get(story.id)
    return task ? project(task, story) : { ...story, ...FRESH }
  }
  const left = new Set(refused)
  const kept = found.userStories.filter(({ id }) => !left.has(id))
  const missing = missingAfter(kept, tasks)
  const restored = (after: TaskId | null) => (missing.get(after) ?? []).map(task => project(task))
  return {
    ...found,
    ...(verifyCommands && { verifyCommands }),
    userStories: [...restored(null), ...kept.flatMap(story => [projected(story), ...restored(story.id)])],
  }
}

/** The same for one story. `found` is undefined if the file does not have it. */
export function projectStory(
  found: Story | undefined,
  task: Task,
  current: TaskState,
  { skip }: { skip: boolean },
): Story {
  const story = found ?? blankStory(task)
  const owned = reviewFields(current, story, skip)
  const { title, blockedBy } = task
  const { acceptanceCriteria } = specOf(task)
  const hasBlockers = story.dependsOn !== undefined || blockedBy.length > 0
  return {
    ...story,
    title,
    acceptanceCriteria,
    ...(hasBlockers && { dependsOn: blockedBy }),
    ...owned,
    ...(owned.passes && !story.notes?.trim() && { notes: 'No notes were left.' }),
  }
}

/** The fields that ralph owns. */
export type ReviewFields = Pick<Story, 'passes' | 'reviewStatus' | 'reviewCount' | 'reviewFeedback'>

export const FRESH: ReviewFields = { passes: false, reviewStatus: null, reviewCount: 0, reviewFeedback: '' }

const STATUS: Record<StageName, ReviewStatus> = {
  implement: null,
  review: 'needs_review',
  fix: 'changes_requested',
  done: 'approved',
}

/** These fields of a story in this state. */
export function reviewFields(current: TaskState, story: Story, skip: boolean): ReviewFields {
  const { stage, rounds, why, blockedAt } = current
  const blocked = stage === 'blocked'
  if (skip) return { ...FRESH, passes: stage === 'done', reviewFeedback: blocked ? why : '' }
  // A blocked story is where it will go on. Older runs did not keep that, but a review had sent it back.
  const reviewStatus = STATUS[blocked ? (blockedAt ?? (rounds > 0 ? 'fix' : 'implement')) : stage]!
  return {
    passes: stage === 'done',
    reviewStatus,
    reviewCount: rounds,
    reviewFeedback: feedback(current, reviewStatus, story.reviewFeedback),
  }
}

function feedback({ stage, why, lastRed }: TaskState, status: ReviewStatus, found: string): string {
  const notes = lastRed
    .map(finding => finding.note)
    .filter(note => note.trim() !== '')
    .join('\n\n')
  if (stage === 'blocked') return why || notes || 'Left for a person.'
  if (status === 'changes_requested')
    return notes || 'Finish the requested changes, then submit the story for review.'
  if (status !== 'approved') return ''
  if (why === AT_CAP) return `${CAP_MARK} ${notes || 'The last review left no note.'}`
  return found.trimStart().startsWith(CAP_MARK) ? '' : found
}

/** Tasks that are missing in the file, by the story that they come after. */
function missingAfter(stories: readonly Story[], tasks: readonly Task[]): Map<TaskId | null, Task[]> {
  const missing = new Map<TaskId | null, Task[]>()
  const found = new Set(stories.map(story => story.id))
  let previous: TaskId | null = null
  for (const task of tasks) {
    if (found.has(task.id)) previous = task.id
    else missing.set(previous, [...(missing.get(previous) ?? []), task])
  }
  return missing
}

const blankStory = (task: Task): Story => ({
  id: task.id,
  title: task.title,
  description: specOf(task).description ?? '',
  acceptanceCriteria: specOf(task).acceptanceCriteria,
  priority: task.priority ?? 0,
  ...FRESH,
  notes: '',
  dependsOn: task.blockedBy,
})
