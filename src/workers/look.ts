import { existsSync } from 'node:fs'
import type { RunEvent } from '../core/events.ts'
import { fold } from '../core/evolve.ts'
import { isAlive } from '../runners/process/proc.ts'
import { runDir } from '../runs/find.ts'
import { lastTurn } from '../runs/live.ts'
import type { WorkerRecord } from '../runs/worker-record.ts'
import { isSameProcess } from '../store/control.ts'
import { journalPath, readJournal } from '../store/journal.ts'
import { runPhase } from '../view/report/ending.ts'
import { isAtWork, type KnownOfWorker, type WorkerPhase, workerPhase } from './rules/phase.ts'
import { evolveState, firstState, type WorkerState } from './rules/state.ts'

/** A worker as it is now. */
export type WorkerLook = {
  record: WorkerRecord
  phase: WorkerPhase
  /** A process is at work on it, or about to be. */
  isAtWork: boolean
  /** Nothing more will happen: no process is at work on it, and its exit code is known if there is one. */
  isOver: boolean
  /** Empty: its run has not begun. */
  events: readonly RunEvent[]
  /** As the journal says, whatever is in its state file. */
  state: WorkerState
}

/** Looks at the process and the journal of a worker. Its state file decides nothing. */
export function lookAtWorker(home: string, record: WorkerRecord): WorkerLook {
  const events = eventsOf(home, record.run)
  const lastStart = events.findLast(e => e.type === 'began' || e.type === 'resumed')
  const supervisor = record.supervisor === null ? 'none' : isAlive(record.supervisor) ? 'alive' : 'dead'
  const state = events.reduce(evolveState, firstState(NO_FACTS, null, record.spawned))
  const known: KnownOfWorker = {
    supervisor,
    isBeingStarted: isAlive(record.starter) && Date.now() < record.deadline,
    hasBegun: !!lastStart?.by && !!record.supervisor && isSameProcess(lastStart.by, record.supervisor),
    isOpen: lastTurn(events) === lastStart,
    isWaiting: runPhase(events, fold(events).state, true, Date.now()) === 'waiting',
    status: events.length === 0 ? null : state.status,
  }
  const phase = workerPhase(known)
  const atWork = isAtWork(phase, supervisor)
  const isOver = !atWork && (supervisor !== 'alive' || record.exit !== undefined)
  return { record, phase, isAtWork: atWork, isOver, events, state }
}

const NO_FACTS = { worker_name: '', prompt_file: null, done_pattern: null, inactivity_timeout: 0 }

function eventsOf(home: string, run: string): RunEvent[] {
  const dir = runDir(home, run)
  return existsSync(journalPath(dir)) ? readJournal(dir) : []
}
