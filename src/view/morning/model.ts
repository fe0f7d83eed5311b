import type { TaskId } from '../../core/task.ts'
import type { Phase } from '../report/ending.ts'
import type { Spent } from '../report/spent.ts'

/** Which run it is. */
export type RunName = {
  /** Its id. */
  run: string
  /** What commands call it: the name of its worker, or its id. */
  name: string
  project: string
  /** The command that started it, after `ralph`, and what it works on. */
  command: string
  work: string
}

/** What a person is needed for, the most urgent first: somebody waits for an answer before somebody who gave up. */
export const NEEDS = [
  'question',
  'decision',
  'blocked',
  'host',
  'limit',
  'failed',
  'crashed',
  'unfinished',
  'stopped',
  'paused',
] as const

export type NeedKind = (typeof NEEDS)[number]

/** `task`: null if it is about the whole run. `commands`: what answers it; any one of them. */
export type Need = { kind: NeedKind; task: TaskId | null; title: string; why: string; commands: string[] }

/** `resume`: the command that lets the run go on after that. Null if it is at work. */
export type NeedyRun = RunName & { needs: Need[]; resume: string | null }

/** How a task came to be done. Only the first is proof. `doubted`: the checks are green, but there is a doubt. */
export type DoneHow = 'verified' | 'doubted' | 'claimed' | 'capped' | 'person'

/** `task`: null if it is the whole run. `commits`: short hashes, or the ranges of an agent's own. */
export type DoneTask = { task: TaskId | null; title: string; how: DoneHow; commits: string[] }

/** Amounts of files as a receipt has them. */
export type LandedRun = RunName & {
  tasks: DoneTask[]
  files: number | null
  filesCut: boolean
  isCommitted: boolean
}

/** `perVerified`: dollars for each task that was verified. Null if nothing was, or if the cost is unknown. */
export type Costs = Spent & {
  verified: number
  perVerified: number | null
  workedMs: number
  waitedMs: number
}

/** `reasons`: why to look, the weightiest first. `undo`: null if it cannot be taken back now. */
export type LookAt = RunName & { reasons: string[]; look: string[]; undo: string | null }

export type AtWork = RunName & {
  phase: Phase
  began: number
  iteration: number
  iterations: number | null
  /** What it does now. Null if it does nothing. */
  doing: string | null
  /** Of the whole run. */
  spent: Spent
}

/** What one run did in a period. */
export type RunNight = RunName & {
  needs: NeedyRun | null
  landed: LandedRun | null
  /** Null if nothing of it was paid for in the period. */
  costs: Costs | null
  lookAt: (LookAt & { rank: Rank }) | null
  atWork: AtWork | null
}

/** Smaller first. */
export type Rank = readonly [weight: number, files: number]

/** What a person reads in the morning. Programs get it as it is; screens show the first of each. */
export type Morning = Period & {
  /** How many runs did anything, or are at work. */
  runs: number
  needsYou: NeedyRun[]
  landed: LandedRun[]
  costs: { runs: (RunName & Costs)[]; total: Costs }
  lookFirst: LookAt[]
  stillRunning: AtWork[]
  /** Runs that cannot be read. */
  skipped: { run: string; why: string }[]
}

/** The time that a morning report is about. Moments in ms since the epoch; `words` says it to people. */
export type Period = { since: number; now: number; words: string }

const HOUR = 3_600_000
const NOON = 12
const EVENING = 18

/** Before noon the night since yesterday evening, later the last 24 hours. In local time. */
export function lastNight(now: number): Period {
  const evening = new Date(now)
  if (evening.getHours() >= NOON) return { since: now - 24 * HOUR, now, words: 'in the last 24 hours' }
  evening.setDate(evening.getDate() - 1)
  evening.setHours(EVENING, 0, 0, 0)
  return { since: evening.getTime(), now, words: 'since yesterday 18:00' }
}
