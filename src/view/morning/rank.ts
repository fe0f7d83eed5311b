import { listPaths } from '../../core/format.ts'
import { formatFileCount } from '../report/format.ts'
import type { DoneHow, DoneTask, LookAt, Rank, RunName } from './model.ts'

export type LookOptions = {
  about: RunName
  tasks: readonly DoneTask[]
  doubts: readonly string[]
  files: number | null
  filesCut: boolean
  /** No process hosts it: its changes can be taken back. */
  isOver: boolean
  /** It was in a git repository, so that its changes are known. */
  isInGit: boolean
}

/** From how many changed files on a diff is large. */
const LARGE = 20

/** Reasons to look at a run, the strongest first. */
const WEIGHTS = { doubted: 0, capped: 1, claimed: 2, left: 3, verified: 4 } as const

/**
 * Whether to look at what a run did, and how soon. The first that applies decides: something speaks against its green
 * checks, such as weakened tests; a task was approved at the cap; a task is only claimed; it ended with changed files and
 * nothing done; all is verified, or done by a person. Among equals, the one that changed more files comes first; an
 * unknown number counts as the most.
 */
export function lookAt(options: LookOptions): (LookAt & { rank: Rank }) | null {
  const { about, tasks, doubts, files, filesCut, isOver, isInGit } = options
  const isLeft = tasks.length === 0 && isOver && (files ?? 0) > 0
  if (tasks.length === 0 && !isLeft) return null
  const reasons: [weight: number, reason: string][] = []
  for (const doubt of doubts) reasons.push([WEIGHTS.doubted, `doubted: ${doubt}`])
  for (const how of ['capped', 'claimed'] as const) {
    const reason = aboutTasks(tasks, how)
    if (reason !== null) reasons.push([WEIGHTS[how], reason])
  }
  if (isLeft) reasons.push([WEIGHTS.left, 'it ended with changes, and nothing was done'])
  if (reasons.length === 0) for (const reason of goodReasons(tasks)) reasons.push([WEIGHTS.verified, reason])
  const size = files === null ? 'it is not known which files changed' : formatFileCount(files, filesCut)
  return {
    ...about,
    reasons: [...reasons.map(([, reason]) => reason), (files ?? 0) >= LARGE ? `large: ${size}` : size],
    look: [...(isInGit ? [`ralph diff ${about.name}`] : []), `ralph report ${about.name}`],
    undo: isInGit && isOver ? `ralph undo ${about.name}` : null,
    rank: [reasons[0]![0], -(files ?? Number.MAX_SAFE_INTEGER)],
  }
}

const WORDS = {
  capped: 'approved at the cap, not by a reviewer',
  claimed: 'claimed: nothing verified it',
  verified: 'verified',
  person: 'done by a person',
}

/** Of a run in which nothing speaks for a look. What a person said is done was not verified. */
function goodReasons(tasks: readonly DoneTask[]): string[] {
  const byPerson = aboutTasks(tasks, 'person')
  if (byPerson === null) return [WORDS.verified]
  const verified = aboutTasks(tasks, 'verified')
  return verified === null ? [byPerson] : [byPerson, verified]
}

function aboutTasks(tasks: readonly DoneTask[], how: DoneHow & keyof typeof WORDS): string | null {
  const found = tasks.filter(task => task.how === how)
  if (found.length === 0) return null
  const ids = found.flatMap(({ task }) => task ?? [])
  return ids.length === 0 ? WORDS[how] : `${WORDS[how]}: ${listPaths(ids)}`
}

/** The order of the list. Equals keep theirs. */
export const byRank = ({ rank: a }: { rank: Rank }, { rank: b }: { rank: Rank }): number =>
  a[0] - b[0] || a[1] - b[1]
