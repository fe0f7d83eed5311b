import type { ProcessRef, RunEvent } from '../core/events.ts'
import { isAlive } from '../runners/process/proc.ts'
import type { StoredRun } from './find.ts'

/** The process that hosts the run, or hosted it last. */
export const hostOf = ({ events }: StoredRun): ProcessRef | undefined =>
  events.findLast(e => e.type === 'began' || e.type === 'resumed')?.by

/** Whether the process that hosts a run is still alive. */
export function isLive({ events }: StoredRun): boolean {
  // After the run has ended or stopped, its process may live on to host other runs.
  const last = events.findLast(e => LIFE.has(e.type))
  return (last?.type === 'began' || last?.type === 'resumed') && last.by !== undefined && isAlive(last.by)
}

const LIFE: ReadonlySet<RunEvent['type']> = new Set(['began', 'resumed', 'finished', 'stopped'])
