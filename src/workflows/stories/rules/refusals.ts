import { byId, isSameList, type Task, type TaskId } from '../../../core/task.ts'
import { specOf } from './review.ts'
import {
  type Flaw,
  flawText,
  invariantFlaws,
  type ReviewMode,
  type ReviewSnapshot,
  removedFlaws,
  transitionFlaws,
} from './review-rules.ts'
import { noteErrors, type StoriesFile, type Story } from './story-file.ts'

export type AgentWork = {
  mode: ReviewMode
  /** The story that the iteration worked on. */
  story: TaskId
  /** Whether the agent ended by itself: one that was cut off need not give a verdict. */
  hasFinished: boolean
  /** The review fields before the iteration. Null if they are lost. */
  before: ReviewSnapshot | null
  /** The file as the agent left it, and as it should be. */
  found: StoriesFile
  truth: StoriesFile
  tasks: readonly Task[]
}

type Rules = { skip: boolean; cap: number; verifyCommands: readonly string[] }

/** What an agent wrote into the story file without permission. People and the next agent see each sentence once. */
export function refusals(work: AgentWork, rules: Rules): string[] {
  const { found, before } = work
  const known = before ?? work.truth.userStories
  const flaws = [
    ...(rules.skip ? removedFlaws(known, found) : ruleFlaws(work, rules.cap)),
    ...found.userStories.filter(isDone(work.truth)).flatMap(noteFlaws),
    ...pinFlaws(work),
  ]
  const arePinned = isSameList(found.verifyCommands ?? [], rules.verifyCommands)
  const texts = [
    ...flaws.map(flawText),
    ...(arePinned ? [] : [`verifyCommands was changed. ${PINNED}`]),
    ...strayErrors(work, new Set(flaws.map(({ story }) => story))),
  ]
  return [...new Set(texts)]
}

const noteFlaws = (story: Story): Flaw[] =>
  noteErrors({ userStories: [story] }).map(text => ({ story: story.id, text }))

const isDone = (truth: StoriesFile) => {
  const due = byId(truth.userStories)
  return ({ id, passes }: Story) => passes && due.get(id)?.passes === true
}

const PINNED = 'An agent must not change what a story asks for or what verifies it. It is put back.'

/** Checks changed stories for illegal transitions, and only unchanged ones for illegal states: one error is enough. */
function ruleFlaws({ mode, hasFinished, before, found }: AgentWork, cap: number): Flaw[] {
  if (!before) return invariantFlaws(found, cap)
  const known = byId(before)
  const isUnchanged = (story: Story) => {
    const was = known.get(story.id) ?? FRESH
    return (
      was.passes === story.passes &&
      was.reviewStatus === story.reviewStatus &&
      was.reviewCount === story.reviewCount
    )
  }
  const unchanged = found.userStories.filter(isUnchanged)
  const needsNoVerdict = !hasFinished && unchanged.length === found.userStories.length
  return [
    ...(needsNoVerdict ? removedFlaws(before, found) : joinChanges(transitionFlaws(mode, before, found))),
    ...invariantFlaws({ userStories: unchanged }, cap),
  ]
}

/** Joins what differs only in the changed field into one flaw. */
function joinChanges(flaws: Flaw[]): Flaw[] {
  const joined = new Map<string, Flaw>()
  for (const flaw of flaws) {
    const change = [joined.get(flaw.text)?.change, flaw.change].filter(Boolean).join(', ')
    joined.set(flaw.text, { ...flaw, ...(change !== '' && { change }) })
  }
  return [...joined.values()]
}

const FRESH = { passes: false, reviewStatus: null, reviewCount: 0 }

function pinFlaws({ found, tasks }: AgentWork): Flaw[] {
  const known = byId(tasks)
  return found.userStories.flatMap(story => {
    const task = known.get(story.id)
    const text = task ? pinError(story, task) : null
    return text === null ? [] : [{ story: story.id, text }]
  })
}

function pinError(story: Story, task: Task): string | null {
  const isTitle = story.title === task.title
  const isCriteria = isSameList(story.acceptanceCriteria, specOf(task).acceptanceCriteria)
  const isBlockers = isSameList(story.dependsOn ?? [], task.blockedBy)
  if (isTitle && isCriteria && isBlockers) return null
  const changed = [
    ...(isTitle ? [] : ['title']),
    ...(isCriteria ? [] : ['acceptanceCriteria']),
    ...(isBlockers ? [] : ['dependsOn']),
  ]
  return `Story ${story.id}: ${changed.join(' and ')} ${changed.length > 1 ? 'were' : 'was'} changed. ${PINNED}`
}

/** Changes that are legal, but concern another story than the iteration's own. `named` are the stories with flaws. */
function strayErrors(
  { story: mine, before, found, truth, tasks }: AgentWork,
  named: ReadonlySet<TaskId>,
): string[] {
  const wasBefore = byId(before ?? [])
  const due = byId(truth.userStories)
  const known = byId(tasks)
  const strays = found.userStories.filter(({ id, passes, reviewStatus }) => {
    if (id === mine || !known.has(id)) return false
    // A person may have decided about another story while the agent worked: the agent knows only the file of before.
    const was = wasBefore.get(id) ?? due.get(id)
    return was !== undefined && (passes !== was.passes || reviewStatus !== was.reviewStatus)
  })
  return strays
    .filter(({ id }) => !named.has(id))
    .map(({ id }) => `This iteration was about story ${mine}. What it wrote about story ${id} is put back.`)
}
