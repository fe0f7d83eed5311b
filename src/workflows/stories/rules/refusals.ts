import { byId, isSameList, type Task, type TaskId } from '../../../core/task.ts'
import { specOf } from './review.ts'
import {
  invariantErrors,
  type ReviewMode,
  type ReviewSnapshot,
  removedErrors,
  transitionErrors,
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
  const errors = [
    ...(rules.skip ? removedErrors(known, found) : ruleErrors(work, rules.cap)),
    ...noteErrors({ userStories: found.userStories.filter(isDone(work.truth)) }),
    ...pinErrors(work),
    ...(isSameList(found.verifyCommands ?? [], rules.verifyCommands)
      ? []
      : [`verifyCommands was changed. ${PINNED}`]),
  ]
  return [...new Set([...errors, ...strayErrors(work, errors)])]
}

const isDone = (truth: StoriesFile) => {
  const due = byId(truth.userStories)
  return ({ id, passes }: Story) => passes && due.get(id)?.passes === true
}

const PINNED = 'An agent must not change what a story asks for or what verifies it. It is put back.'

/** Checks changed stories for illegal transitions, and only unchanged ones for illegal states: one error is enough. */
function ruleErrors({ mode, hasFinished, before, found }: AgentWork, cap: number): string[] {
  if (!before) return invariantErrors(found, cap)
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
    ...joinTransitions(needsNoVerdict ? removedErrors(before, found) : transitionErrors(mode, before, found)),
    ...invariantErrors({ userStories: unchanged }, cap),
  ]
}

/** Joins the errors about several fields of one story into one sentence. */
function joinTransitions(texts: string[]): string[] {
  const changesByText = new Map<string, string[]>()
  for (const text of texts) {
    const [, words = text, change] = /^(.*illegal transition: )(.*)\.$/i.exec(text) ?? []
    changesByText.set(words, [...(changesByText.get(words) ?? []), ...(change ? [change] : [])])
  }
  return [...changesByText].map(([words, changes]) =>
    changes.length > 0 ? `${words}${changes.join(', ')}.` : words,
  )
}

const FRESH = { passes: false, reviewStatus: null, reviewCount: 0 }

function pinErrors({ found, tasks }: AgentWork): string[] {
  const known = byId(tasks)
  return found.userStories.flatMap(story => {
    const task = known.get(story.id)
    return (task && pinError(story, task)) ?? []
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

/** Changes that are legal, but concern another story than the iteration's own. */
function strayErrors({ story: mine, before, found, truth, tasks }: AgentWork, errors: string[]): string[] {
  const wasBefore = byId(before ?? [])
  const due = byId(truth.userStories)
  const known = byId(tasks)
  const strays = found.userStories.filter(({ id, passes, reviewStatus }) => {
    if (id === mine || !known.has(id)) return false
    // A person may have decided about another story while the agent worked: the agent knows only the file of before.
    const was = wasBefore.get(id) ?? due.get(id)
    return was !== undefined && (passes !== was.passes || reviewStatus !== was.reviewStatus)
  })
  if (strays.length === 0) return []
  const named = storiesNamedIn(errors, new Set(known.keys()))
  return strays
    .filter(({ id }) => !named.has(id))
    .map(({ id }) => `This iteration was about story ${mine}. What it wrote about story ${id} is put back.`)
}

/** The stories that these texts name. An id may contain anything, so every word boundary is tried as its end. */
function storiesNamedIn(texts: readonly string[], known: ReadonlySet<TaskId>): Set<TaskId> {
  const longest = [...known].reduce((most, id) => Math.max(most, id.length), 0)
  const named = new Set<TaskId>()
  for (const text of texts)
    for (const { 0: word, index } of text.matchAll(/story /gi)) {
      const from = index + word.length
      const rest = text.slice(from, from + longest + 1)
      for (const { index: end } of rest.matchAll(/(?![\w-])/g))
        if (known.has(rest.slice(0, end))) named.add(rest.slice(0, end))
    }
  return named
}
