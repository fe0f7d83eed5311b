import { REVIEW, type RunState, type StageTable, type TaskState, taskStateOf } from '../../../core/table.ts'
import { byId, type Edit, isSameList, type ListEdit, type Task, type TaskId } from '../../../core/task.ts'
import { composeList, doneByPerson, reopened } from '../../shared/list-edit.ts'
import { FRESH, type ReviewFields, reviewFields, specOf, storyTask } from './review.ts'
import { isSubmittedPart, type ReviewMode } from './review-rules.ts'
import type { StoriesFile, Story } from './story-file.ts'

/**
 * What a person's edit of the story file means. A file with earlier reviews is read like this for the first time.
 * Call it only while nothing is in flight and everything settled is applied: before that, a difference may come from
 * an agent and must not count as a person's. Reading the same file again, after the edit was adopted but before the
 * file was written, gives no further edit.
 */
export function personStoryEdits(
  found: StoriesFile,
  tasks: readonly Task[],
  state: RunState,
  table: StageTable,
  { skip }: { skip: boolean },
): Edit {
  const known = byId(tasks)
  const listed = byId(found.userStories)
  const change: [TaskId, Partial<Task>][] = []
  const states: [TaskId, TaskState][] = []
  const fresh = new Set<Story>()
  for (const story of found.userStories) {
    const task = known.get(story.id)
    if (!task) fresh.add(story)
    const changed = task && changeOf(task, story, id => listed.has(id))
    if (changed && !isEmpty(changed)) change.push([story.id, changed])
    const own = task ?? storyTask(story)
    const current = taskStateOf(table, state, own)
    const truth = task ? reviewFields(current, story, skip) : FRESH
    const moved = stateAfterEdit(story, truth, current, table, own, skip)
    if (moved) states.push([story.id, moved])
  }
  const remove = tasks.map(task => task.id).filter(id => !listed.has(id))
  const add = additions(found.userStories, fresh)
  return {
    ...composeList(tasks, { add, remove, change }, [...listed.keys()]),
    ...(states.length > 0 && { state: Object.fromEntries(states) }),
  }
}

/** What an agent may change: it may add stories up to the limit, reorder them, set priorities and descriptions. */
export function agentStoryEdits(
  found: StoriesFile,
  tasks: readonly Task[],
  room: number,
): { list?: ListEdit; refused: TaskId[] } {
  const known = byId(tasks)
  const fresh: Story[] = []
  const change: [TaskId, Partial<Task>][] = []
  for (const story of found.userStories) {
    const task = known.get(story.id)
    const changed = task && descriptionChange(task, story)
    if (!task) fresh.push(story)
    if (changed && !isEmpty(changed)) change.push([story.id, changed])
  }
  const refused = fresh.slice(Math.max(room, 0)).map(story => story.id)
  const left = new Set(refused)
  const accepted = found.userStories.filter(story => !left.has(story.id))
  const add = additions(accepted, new Set(fresh))
  const wanted = accepted.map(story => story.id)
  return { ...composeList(tasks, { add, remove: [], change }, wanted), refused }
}

/**
 * The part of a split story that an agent submits: one new story, and not the iteration's own as well. It is reviewed like
 * any other. Null if there is none.
 */
export function submittedPart(
  found: StoriesFile,
  tasks: readonly Task[],
  { mode, story: own }: { mode: ReviewMode; story: TaskId },
): Story | null {
  const known = byId(tasks)
  const [part, ...more] = found.userStories.filter(
    story => isSubmittedPart(mode, story) && !known.has(story.id),
  )
  const isOwnSubmitted = found.userStories.some(({ id, reviewStatus }) => id === own && reviewStatus !== null)
  return part && more.length === 0 && !isOwnSubmitted ? part : null
}

/** The state that a person gave the story. Null if they did not change it. It is done only if both fields say so. */
function stateAfterEdit(
  story: Story,
  truth: ReviewFields,
  current: TaskState,
  table: StageTable,
  task: Task,
  skip: boolean,
): TaskState | null {
  const feedback = story.reviewFeedback
  const hasNewFeedback =
    story.reviewStatus === 'changes_requested' && feedback.trim() !== '' && feedback !== truth.reviewFeedback
  const touched =
    story.passes !== truth.passes || (!skip && (story.reviewStatus !== truth.reviewStatus || hasNewFeedback))
  const stage = stageOfStory(story, skip)
  if (!touched || (stage === current.stage && !(stage === 'fix' && hasNewFeedback))) return null
  // A closed story starts its count of reviews again; otherwise the file may report earlier ones.
  const closed = current.stage === 'done' || current.stage === 'blocked'
  const rounds = closed || skip ? 0 : Math.min(story.reviewCount, table.rounds)
  const moved = { ...reopened(table, task), stage, rounds }
  if (stage === 'done') return doneByPerson(moved)
  const note = { check: REVIEW, verdict: 'fail', note: feedback, claim: true } as const
  return stage === 'fix' && feedback.trim() !== '' ? { ...moved, lastRed: [note] } : moved
}

/** Where a story is in the table, by the file alone. */
export function stageOfStory(
  { passes, reviewStatus }: Story,
  skip: boolean,
): 'implement' | 'review' | 'fix' | 'done' {
  if (skip) return passes ? 'done' : 'implement'
  switch (reviewStatus) {
    case 'approved':
      return passes ? 'done' : 'review'
    case 'needs_review':
      return 'review'
    case 'changes_requested':
      return 'fix'
    case null:
      return 'implement'
    default:
      return reviewStatus satisfies never
  }
}

/** Ignores a dependency that does not exist: a typo would block the story for good. */
function changeOf(task: Task, story: Story, isListed: (id: TaskId) => boolean): Partial<Task> {
  const { title, acceptanceCriteria, dependsOn = [] } = story
  const wanted = dependsOn.filter(id => isListed(id) || task.blockedBy.includes(id))
  const changed = descriptionChange(task, story)
  if (title !== task.title) changed.title = title
  if (!isSameList(wanted, task.blockedBy)) changed.blockedBy = wanted
  if (!isSameList(acceptanceCriteria, specOf(task).acceptanceCriteria))
    changed.spec = { ...(changed.spec ?? task.spec), acceptanceCriteria }
  return changed
}

function descriptionChange(task: Task, { priority, description = '' }: Story): Partial<Task> {
  const changed: Partial<Task> = {}
  if (priority !== task.priority) changed.priority = priority
  if (description !== (specOf(task).description ?? '')) changed.spec = { ...task.spec, description }
  return changed
}

const isEmpty = (changed: Partial<Task>): boolean => Object.keys(changed).length === 0

function additions(stories: readonly Story[], fresh: ReadonlySet<Story>): NonNullable<ListEdit['add']> {
  return stories.flatMap((story, index) =>
    !fresh.has(story) ? [] : [{ task: storyTask(story), after: stories[index - 1]?.id ?? null }],
  )
}
