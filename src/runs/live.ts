import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { ProcessRef, RunEvent } from '../core/events.ts'
import { isAlive } from '../runners/process/proc.ts'
import { findRun, type StoredRun } from './find.ts'

/** The events of a run: all, or the latest of each kind. */
type Journaled = { events: readonly RunEvent[] }

/** The process that hosts the run, or hosted it last. */
export const hostOf = ({ events }: Journaled): ProcessRef | undefined =>
  events.findLast(e => e.type === 'began' || e.type === 'resumed')?.by

/** Whether the process that hosts a run is still alive. */
export function isLive({ events }: Journaled): boolean {
  // After the run has ended or stopped, its process may live on to host other runs.
  const last = lastTurn(events)
  return (last?.type === 'began' || last?.type === 'resumed') && last.by !== undefined && isAlive(last.by)
}

/** When a process last began to host the run, or ended that. */
export const lastTurn = (events: readonly RunEvent[]): RunEvent | undefined =>
  events.findLast(e => LIFE.has(e.type))

const LIFE: ReadonlySet<RunEvent['type']> = new Set(['began', 'resumed', 'finished', 'stopped'])

/** The runs that hold a lock, by their ids. A process that died may have left one. */
export function lockedRuns(home: string): string[] {
  const locks = join(home, 'locks')
  if (!existsSync(locks)) return []
  return readdirSync(locks).flatMap(file => /^run-(.*)\.json$/.exec(file)?.[1] ?? [])
}

/** The runs that a process hosts: each holds a lock, so not every journal is read. */
export const liveRuns = (home: string): StoredRun[] =>
  lockedRuns(home).flatMap(id => {
    try {
      const run = findRun(home, id)
      return isLive(run) ? [run] : []
    } catch {
      return []
    }
  })
