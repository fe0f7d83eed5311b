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
   * All processes that may have started at or after this one, the newest first. With null, all processes.
   * `newest`: what `newestPid` gave. A process that started after that may be missing.
   */
  pidsSince(start: ProcessStart | null, newest: number | null): number[]
  /** The controlling terminal of a process, `pts/3`. Null if it has none. */
  terminal(pid: number): string | null
  /** The processes whose program has such a name, with the folder they are in, if it is known. Null if none are known. */
  named(name: RegExp): (ProcessEntry & { folder: string | null })[] | null
  /** Whether the environment or the arguments of a process have this text, or cannot be read. */
  mayMention(pid: number, text: RegExp): boolean
  /** Whether a process that may be looked at has this file open. */
  hasOpen(path: string): boolean
  /** The pid that was assigned last. Null if it is not known. */
  newestPid(): number | null
  /**
   * The marks of these processes, one after the other as they are read. Those without any are left out. They are
   * null if the environment cannot be read now. A process in the middle of an exec is like that.
   */
  readMarks(among: readonly number[]): Iterable<{ pid: number; marks: Marks | null }>
}

export const processes: ProcessTable = existsSync('/proc/self/stat') ? procfs : psTable

/** The start time of a process, by which it differs from a later one with the same pid. Null if there is none. */
export const startTime = (pid: number): string | null => processes.entry(pid)?.startTime ?? null

export const processRef = (pid: number): ProcessRef => ({
  pid,
  startTime: startTime(pid) ?? '',
  host: hostname(),
})

/** Whether exactly this process is still running on this machine. */
export const isAlive = (ref: ProcessRef): boolean =>
  ref.host === hostname() && ref.startTime !== '' && startTime(ref.pid) === ref.startTime

/** This process and all that it descends from and that are still there, itself first. */
export function lineage(): ProcessEntry[] {
  const found: ProcessEntry[] = []
  let entry = processes.entry(process.pid)
  // A pid that was taken again could lead back to where it began.
  while (entry && !found.some(({ pid }) => pid === entry?.pid)) {
    found.push(entry)
    entry = entry.ppid > 0 ? processes.entry(entry.ppid) : null
  }
  return found
}

/** The marks that can be read. */
export const marksOf = (among: readonly ProcessEntry[]): Marks[] =>
  [...processes.readMarks(among.map(({ pid }) => pid))].flatMap(({ marks }) => marks ?? [])

/** Programs of git's: `git`, `git-remote-https`. */
const GIT = /^git(?:\W|$)/

/** What makes git work on a repository that it is not in. */
const ELSEWHERE = /\bGIT_(?:COMMON_)?DIR=|\bGIT_INDEX_FILE=|--git-dir/

/**
 * Looks which git processes run now that may work on a repository, whose folders `isHere` knows. The result says whether
 * a lock may belong to one of those, or to another program that has it open. A process that starts later cannot own a
 * lock that is there now. Null if this system does not say.
 */
export function watchLockOwners(isHere: (folder: string) => boolean): ((path: string) => boolean) | null {
  const running = processes
    .named(GIT)
    ?.filter(({ pid, folder }) => folder === null || isHere(folder) || processes.mayMention(pid, ELSEWHERE))
  if (!running) return null
  return path =>
    running.some(({ pid, startTime: began }) => startTime(pid) === began) || processes.hasOpen(path)
}
