import { createHash, randomBytes } from 'node:crypto'
import { linkSync, mkdirSync, renameSync, rmSync, unlinkSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { dirname, join } from 'node:path'
import type { ProcessRef } from '../core/events.ts'
import { UsageError } from '../core/usage-error.ts'
import { LIMITS, textAt } from './files/read.ts'
import { HOME_WAY_OUT, requireWritable } from './files/writable.ts'

type Holder = ProcessRef & { run: string }

/** Whether a process still runs. A parameter, because the store may not import the runners. */
export type IsAlive = (ref: ProcessRef) => boolean

/** What to say when somebody else holds a lock. `who` is the process that does. */
type Refusal = (run: string, who: string) => string

/**
 * Allows one run per project folder. The holder is known by pid, start time and host, so a crashed one does not lock
 * anyone out, even if another process has its pid now.
 */
export function acquireLock(
  home: string,
  project: string,
  mine: Holder,
  isAlive: IsAlive,
  refuse: Refusal = (run, who) => `run ${run} (${who}) is already running in ${project}`,
): { release(): void } {
  return acquire(home, lockPath(home, project), mine, isAlive, refuse)
}

/**
 * Allows one incarnation per run, also where several runs share a folder. Only the holder writes the journal, so it can
 * rely on what it reads there.
 */
export function acquireRunLock(home: string, mine: Holder, isAlive: IsAlive): { release(): void } {
  const path = runLockPath(home, mine.run)
  return acquire(home, path, mine, isAlive, (run, who) => `run ${run} (${who}) is already running`)
}

/** Allows one process at a time to give a name to a worker. */
export function acquireNameLock(
  home: string,
  name: string,
  mine: Holder,
  isAlive: IsAlive,
): { release(): void } {
  const path = join(home, 'locks', `worker-${name}.json`)
  return acquire(home, path, mine, isAlive, (_, who) => `worker '${name}' is being started (${who})`)
}

/** Who holds a run from another host. The holder may be dead: this host cannot know. */
export function heldElsewhere(home: string, run: string): { pid: number; host: string; lock: string } | null {
  const lock = runLockPath(home, run)
  const holder = holderIn(lock)
  return holder && isOnOtherHost(holder) ? { pid: holder.pid, host: holder.host, lock } : null
}

function acquire(
  home: string,
  path: string,
  mine: Holder,
  isAlive: IsAlive,
  refuse: Refusal,
): { release(): void } {
  requireWritable(home, HOME_WAY_OUT, () => mkdirSync(dirname(path), { recursive: true, mode: 0o700 }))
  for (let attempt = 0; attempt < 3; attempt++) {
    if (requireWritable(home, HOME_WAY_OUT, () => create(path, mine)))
      return { release: () => release(path, mine) }
    const text = read(path)
    if (text === null) continue
    const holder = parse(text)
    if (holder && isHeld(holder, isAlive))
      throw new UsageError(refuse(holder.run, describeHolder(holder)) + wayOut(holder, path))
    removeStale(path, text)
  }
  throw new UsageError(`other processes keep taking the lock ${path}; try again`)
}

/** Who is working in a project. Null if nobody is, or the holder is dead. Changes nothing. */
export function readLock(home: string, project: string, isAlive: IsAlive): Holder | null {
  const holder = holderIn(lockPath(home, project))
  return holder && isHeld(holder, isAlive) ? holder : null
}

const lockPath = (home: string, project: string) =>
  join(home, 'locks', `${createHash('sha256').update(project).digest('hex').slice(0, 24)}.json`)

const runLockPath = (home: string, run: string) => join(home, 'locks', `run-${run}.json`)

const isOnOtherHost = ({ host }: Holder) => host !== hostname()

/** A process on another host cannot be checked, so it counts as alive. */
const isHeld = (holder: Holder, isAlive: IsAlive) => isOnOtherHost(holder) || isAlive(holder)

const describeHolder = (holder: Holder) =>
  isOnOtherHost(holder) ? `pid ${holder.pid} on ${holder.host}` : `pid ${holder.pid}`

/** Only a person can know that nothing runs on another host. */
const wayOut = (holder: Holder, path: string) =>
  isOnOtherHost(holder) ? `; if nothing runs on ${holder.host} any more, remove ${path}` : ''

/** Written under another name and then linked, so that nobody reads half a lock. */
function create(path: string, mine: Holder): boolean {
  const aside = `${path}.${randomBytes(6).toString('hex')}`
  try {
    writeFileSync(aside, JSON.stringify(mine), { flag: 'wx', mode: 0o600 })
    linkSync(aside, path)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  } finally {
    // On a full disk the file may be incomplete or missing.
    rmSync(aside, { force: true })
  }
}

/** Removes a stale lock, and only that one: after the rename it is read again, and put back if it is another. */
function removeStale(path: string, stale: string): void {
  const aside = `${path}.${randomBytes(6).toString('hex')}`
  try {
    renameSync(path, aside)
  } catch {
    return // Someone else removed it first.
  }
  if (read(aside) !== stale) {
    try {
      linkSync(aside, path)
    } catch {
      // A third process holds it now: the next attempt finds that.
    }
  }
  unlinkSync(aside)
}

function release(path: string, mine: Holder): void {
  const holder = holderIn(path)
  if (holder?.pid === mine.pid && holder.startTime === mine.startTime) unlinkSync(path)
}

const read = (path: string): string | null => textAt(path, { limit: LIMITS.small })

/** Who holds a lock. Null if nobody does, or it cannot be read. */
const holderIn = (path: string): Holder | null => parse(read(path) ?? '')

function parse(text: string): Holder | null {
  try {
    const value = JSON.parse(text)
    return typeof value?.pid === 'number' && typeof value.host === 'string' ? value : null
  } catch {
    return null
  }
}
