import type { TodoItem } from '../../core/events.ts'
import type { Morning, Need } from '../morning/model.ts'
import type { Phase } from '../report/ending.ts'
import type { Spent } from '../report/spent.ts'
import type { RunFacts } from './run-facts.ts'

/** A run as a row of the overview. */
export type OverviewRow = {
  id: string
  /** The name of its worker, or its id. */
  name: string
  isWorker: boolean
  /** A process hosts it. */
  isAtWork: boolean
  phase: Phase
  /** The phase, or how it ended: in one or two words. */
  status: string
  needs: readonly Need[]
  command: string
  project: string
  /** Its task, or its iteration. */
  at: string
  agent: string
  began: number
  /** When it last did something. */
  lastAt: number
  spent: Spent
  /** What happened last, in one line. */
  last: string
}

/** One check of the latest iteration. `running`: its log is there, and its finding is not. */
export type CheckRow = {
  check: string
  state: 'pass' | 'fail' | 'unsure' | 'running'
  note: string
  log: string | null
}

/** The output of a run: the latest lines. `dropped`: how many came before them. */
export type OutputView = { lines: readonly string[]; dropped: number }

/** One run, for its screen. */
export type RunModel = {
  row: OverviewRow
  facts: RunFacts
  /** The list as its file has it now; else as the journal has it. */
  items: readonly TodoItem[]
  output: OutputView
  /** What is under way, in one line. Empty if nothing is. */
  live: string
  checks: readonly CheckRow[]
  /** The log of the selected check, and its last lines. Null if it has none. */
  log: { path: string; lines: readonly string[] } | null
  /** The folder of a step's files. */
  folderOf(step: number): string
  /** What people may edit while it runs: its list, or its prompt. Null if there is nothing. */
  editable: string | null
  /** How the agent is paid, if it said so. */
  auth: string | null
  model: string | null
  /** How full the agent's context is, from 0 to 1. Null if that is unknown. */
  contextUse: number | null
  /** The command that continues it. Null if there is nothing to continue. */
  goOn: string | null
}

/** All that is shown, at one moment. */
export type Model = {
  now: number
  rows: readonly OverviewRow[]
  /** Journals that are still to be read. */
  loading: number
  run: RunModel | null
  /** The morning report. Null while it is being read. */
  morning: Morning | null
  /** What q does, if that is not only to leave. */
  quitHint: string
}
