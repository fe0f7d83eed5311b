import type { Task, TaskId } from '../../../core/task.ts'
import { specOf } from './review.ts'
import {
  invariantErrors,
  type ReviewMode,
  removedErrors,
  type Snapshot,
  snapshotOf,
  transitionErrors,
} from './review-rules.ts'
import { noteErrors, type StoriesFile, type Story } from './story-file.ts'

export type Written = {
  mode: ReviewMode
  /** The story that the iteration was about. */
  story: TaskId
  /** Whether the agent came to its end: one that was cut off owes no verdict. */
  isOver: boolean
  /** The review fields before the iteration; null where nobody knows them any more. */
  before: Snapshot | null
  /** The file as the agent left it, and as it is to be. */
  found: StoriesFile
  truth: StoriesFile
  tasks: readonly Task[]
}

type Rules = { skip: boolean; cap: number; verifyCommands: readonly string[] }

/** What an agent wrote into the story file and may not: each is told once, to people and to the next agent. */
export function refusals(written: Written, rules: Rules): string[] {
  const { found, before, tasks } = written
  const known = before ?? snapshotOf(written.truth)
  const pinned = new Map(tasks.map(task => [task.id, task]))
  const told = [
    ...(rules.skip ? [] : ruleErrors(written, rules.cap)),
    ...(rules.skip ? removedErrors(known, found) : []),
    ...noteErrors({ ...found, userStories: found.userStories.filter(isDone(written.truth)) }),
    ...found.userStories.flatMap(story => pinErrors(story, pinned.get(story.id))),
    ...(differ(found.verifyCommands ?? [], rules.verifyCommands)
      ? [`verifyCommands was changed. ${PINNED}`]
      : []),
  ]
  return [...new Set([...told, ...strayErrors(written, told)])]
}

const isDone = (truth: StoriesFile) => {
  const done = new Set(truth.userStories.filter(story => story.passes).map(story => story.id))
  return ({ id }: Story) => done.has(id)
}

const PINNED = 'What a story asks for and what verifies it is not for an agent to change. It is put back.'

/** A story whose way was illegal is told of that; where it stands then need not be told, too. */
function ruleErrors({ mode, isOver, before, found }: Written, cap: number): string[] {
  if (!before) return invariantErrors(found, cap)
  const isSame = (story: Story) => {
    const was = Object.hasOwn(before, story.id) ? before[story.id]! : FRESH
    return (
      was.passes === story.passes &&
      was.reviewStatus === story.reviewStatus &&
      was.reviewCount === story.reviewCount
    )
  }
  const same = found.userStories.filter(isSame)
  const owesNothing = !isOver && same.length === found.userStories.length
  return [
    ...joined(owesNothing ? removedErrors(before, found) : transitionErrors(mode, before, found)),
    ...invariantErrors({ ...found, userStories: same }, cap),
  ]
}

/** Several fields of one story, changed at once, are one deed: the same words are not said again for each. */
function joined(texts: string[]): string[] {
  const deeds = new Map<string, string[]>()
  for (const text of texts) {
    const [, words = text, change] = /^(.*illegal transition: )(.*)\.$/i.exec(text) ?? []
    deeds.set(words, [...(deeds.get(words) ?? []), ...(change ? [change] : [])])
  }
  return [...deeds].map(([words, changes]) => (changes.length > 0 ? `${words}${changes.join(', ')}.` : words))
}

const FRESH = { passes: false, reviewStatus: null, reviewCount: 0 }

function pinErrors(story: Story, task: Task | undefined): string[] {
  if (!task) return []
  const changed = [
    story.title === task.title ? [] : ['title'],
    differ(story.acceptanceCriteria, specOf(task).acceptanceCriteria) ? ['acceptanceCriteria'] : [],
    differ(story.dependsOn ?? [], task.blockedBy) ? ['dependsOn'] : [],
  ].flat()
  return changed.length === 0
    ? []
    : [
        `Story ${story.id}: ${changed.join(' and ')} ${changed.length > 1 ? 'were' : 'was'} changed. ${PINNED}`,
      ]
}

/** Legal in itself, but of another story than the iteration was about. */
function strayErrors({ story: mine, found, truth, tasks }: Written, told: string[]): string[] {
  const is = new Map(truth.userStories.map(story => [story.id, story]))
  const known = new Set(tasks.map(task => task.id))
  const named = namedIn(told, known)
  return found.userStories
    .filter(({ id, passes, reviewStatus }) => {
      const due = is.get(id)
      if (id === mine || !due || !known.has(id) || named.has(id)) return false
      return passes !== due.passes || reviewStatus !== due.reviewStatus
    })
    .map(({ id }) => `This iteration was about story ${mine}. What it says of story ${id} is put back.`)
}

/** The stories that these texts speak of. Ids may be anything: one ends wherever no letter of it could follow. */
function namedIn(texts: readonly string[], known: ReadonlySet<TaskId>): Set<TaskId> {
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

const differ = (a: readonly string[], b: readonly string[]) =>
  a.length !== b.length || a.some((text, place) => text !== b[place])
