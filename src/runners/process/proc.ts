import { existsSync } from 'node:fs'
import { hostname } from 'node:os'
import type { ProcessRef } from '../../core/events.ts'
import { procfs } from './procfs.ts'
import { psTable } from './ps.ts'

export type Entry = { pid: number; ppid: number; pgid: number; startTime: string }

/** When (by performance.now) a process was started, and its number. */
export type Birth = { pid: number; at: number }

/** The processes of this machine. A zombie is not among them: it is gone, only not yet buried. Nothing here throws. */
export interface ProcessTable {
  list(): Entry[]
  entry(pid: number): Entry | null
  /** All that may be as young as this one; all there are, for null. */
  pidsSince(birth: Birth | null): number[]
  /**
   * Which of them carry every mark, `NAME=value`, in the environment they were started with.
   * `blank` ones show none at this moment: a process in the middle of an exec is like that.
   */
  look(among: readonly number[], marks: readonly string[]): { marked: number[]; blank: number[] }
}

export const processes: ProcessTable = existsSync('/proc/self/stat') ? procfs : psTable

/** Tells a process from a later one with the same number; null when there is none. */
export const startTime = (pid: number): string | null => processes.entry(pid)?.startTime ?? null

export const processRef = (pid: number): ProcessRef => ({
  pid,
  startTime: startTime(pid) ?? '',
  host: hostname(),
})

/** Whether exactly this process still lives, on this machine. */
export const isAlive = (ref: ProcessRef): boolean =>
  ref.host === hostname() && ref.startTime !== '' && startTime(ref.pid) === ref.startTime
