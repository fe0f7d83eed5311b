import { rmSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import type { GitDirs } from '../head.ts'
import { findLocks, isSameLock, type Lock, lockIn } from './find.ts'

/** How a lock may be removed that a killed git of this run left. */
export type LockRemoval = {
  /** What was there before is not the run's. In ms since the epoch. */
  since: number
  /**
   * Looks which processes could own a lock now. The result says whether one of them still could: none that starts later
   * can. Null if there is no way to know.
   */
  watchOwners(): ((path: string) => boolean) | null
  onRemoved(path: string): void
}

export type LockWait = {
  /** Locks that git complained about. */
  named?: readonly string[]
  removal?: LockRemoval | null
  /** Do not wait any longer. */
  hard?: AbortSignal
  waits?: typeof WAITS_MS
}

const POLL_MS = 20

/**
 * `alone`: at which age a lock is not waited for that nobody is known to own. `owned`: how long to wait for who may own it.
 */
const WAITS_MS = { alone: 1000, owned: 4000 }

/** Waits for git's locks to go away, and removes those that a git of this run left. Returns the paths of the others. */
export async function lastingLocks(dirs: GitDirs, wait: LockWait = {}): Promise<string[]> {
  const lasting: string[] = []
  for (const lock of findLocks(dirs, wait.named)) if (await lasts(lock, wait)) lasting.push(lock.path)
  return lasting
}

async function lasts(lock: Lock, { removal, hard, waits = WAITS_MS }: LockWait): Promise<boolean> {
  const isOfRun = removal && lock.isPlain && lock.madeAt >= removal.since
  const mayBeOwned = isOfRun ? removal.watchOwners() : null
  const began = performance.now()
  for (;;) {
    if (!isSameLock(lock)) return false
    if (hard?.aborted) return true
    // The system time may have been set meanwhile.
    const waited = performance.now() - began
    const age = Math.max(Date.now() - lock.madeAt, waited)
    if (age >= waits.alone) {
      if (!removal || mayBeOwned === null) return true
      if (!mayBeOwned(lock.path)) return !remove(lock.path, removal)
      if (waited >= waits.owned) return true
    }
    await delay(POLL_MS)
  }
}

function remove(path: string, { onRemoved }: LockRemoval): boolean {
  try {
    rmSync(path)
  } catch {
    return false
  }
  onRemoved(path)
  return true
}

const MOST_TRIES = 20

/** A git that another process killed, for example the system because memory was short: it may have left a lock. */
const isKilled = (failure: string): boolean => failure.includes('was killed by SIGKILL')

/**
 * Runs a git command that fails at once if somebody else holds a lock, if only for a moment: then waits and tries again.
 * The same if it was killed. `act` returns git's complaint, or null. The result is the same, with the locks that last.
 */
export async function pastLocks(
  dirs: GitDirs,
  wait: LockWait,
  act: () => Promise<string | null>,
): Promise<{ failure: string; locks: string[] } | null> {
  for (let tries = 1; ; tries++) {
    const failure = await act()
    if (failure === null) return null
    const named = lockIn(failure)
    const locks = named === null ? [] : await lastingLocks(dirs, { ...wait, named: [named] })
    const mayPass = named !== null || isKilled(failure)
    if (!mayPass || locks.length > 0 || tries === MOST_TRIES || wait.hard?.aborted) return { failure, locks }
    await delay(POLL_MS)
  }
}
