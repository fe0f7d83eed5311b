import type { WorkerState } from './state.ts'

/** `crashed`: no process hosts the worker, and the last one did not end it. */
export type WorkerPhase = 'starting' | 'running' | 'waiting' | 'paused' | 'stopped' | 'failed' | 'crashed'

/** What is known about a worker. */
export type KnownOfWorker = {
  /** Whether its supervisor runs. `none` if it has not been started. */
  supervisor: 'alive' | 'dead' | 'none'
  /** Whether the one who starts it is still at it, in time. */
  isBeingStarted: boolean
  /** Whether this supervisor has taken up the run. */
  hasBegun: boolean
  /** Whether the run was neither stopped nor finished since it was last taken up. */
  isOpen: boolean
  /** It waits: after a failure, or for a limit to pass. */
  isWaiting: boolean
  /** What the journal comes to. Null if it has none. */
  status: WorkerState['status'] | null
}

/** What a worker does, from what is known. Running is said only of a live supervisor. */
export function workerPhase(known: KnownOfWorker): WorkerPhase {
  const { supervisor, hasBegun, isOpen, isWaiting, status } = known
  if (supervisor === 'none') return known.isBeingStarted ? 'starting' : 'crashed'
  if (supervisor === 'alive' && !hasBegun) return 'starting'
  if (status === null) return 'crashed'
  if (!isOpen) return status
  if (supervisor === 'dead') return 'crashed'
  if (status === 'paused') return 'paused'
  return isWaiting ? 'waiting' : 'running'
}

/** Whether a process is at work on it, or about to be. */
export const isAtWork = (phase: WorkerPhase, supervisor: KnownOfWorker['supervisor']): boolean =>
  phase === 'starting' || (supervisor === 'alive' && ['running', 'waiting', 'paused'].includes(phase))
