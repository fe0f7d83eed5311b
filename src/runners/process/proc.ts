import { existsSync } from 'node:fs'
import { hostname } from 'node:os'
import type { ProcessRef } from '../../core/events.ts'
import type { Marks } from './marks.ts'
import { procfs } from './procfs.ts'
import { psTable } from './ps.ts'

export type ProcessEntry = { pid: number; ppid: number; pgid: number; startTime: string }

/** A process and the time of its start, by performance.now. */
export type ProcessStart = { pid: number; at: number }

/** The processes of this machine, without zombies, which have already exited. Nothing here throws. */
export interface ProcessTable {
  list(): ProcessEntry[]
  entry(pid: number): ProcessEntry | null
  /**
   * All processes that may have started at or after this one, the newest first; null: all processes. `newest`: what
   * `newestPid` gave; a process that started after that may be missing.
   */
  pidsSince(start: ProcessStart | null, newest: number | null): number[]
  /** The controlling terminal of a process, `pts/3`; null: it has none. */
  terminal(pid: number): string | null
  /** The processes whose program has such a name, with the folder they are in (null: unknown); null: not known. */
  named(name: RegExp): (ProcessEntry & { folder: string | null })[] | null
  /** Whether the environment or the arguments of a process have this text, or cannot be read. */
  mayMention(pid: number, text: RegExp): boolean
  /** Whether a process that may be looked at has this file open. */
  hasOpen(path: string): boolean
  /** The pid that was assigned last; null: not known. */
  newestPid(): number | null
  /**
   * The marks of these processes, one after the other as they are read; those without any are left out. null: its
   * environment cannot be read now. A process in the middle of an exec is like that.
   */
  readMarks(among: readonly number[]): Iterable<{ pid: number; marks: Marks | null }>
}

export const processes: ProcessTable = existsSync('/proc/self/stat') ? procfs : psTable

/** Tells a process from a later one with the same pid; null if there is none. */
export const startTime = (pid: number): string | null => processes.entry(pid)?.startTime ?? null

export const processRef = (pid: number): ProcessRef => ({
  pid,
  startTime: startTime(pid) ?? '',
  host: hostname(),
})

/** Whether exactly this process is still running on this machine. */
export const isAlive = (ref: ProcessRef): boolean =>
  ref.host === hostname() && ref.startTime !== '' && startTime(ref.pid) === ref.startTime
