import { createHash, randomBytes } from 'node:crypto'
import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, unlinkSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { dirname, join } from 'node:path'
import type { ProcessRef } from '../core/events.ts'
import { UsageError } from '../core/usage-error.ts'
import { HOME_WAY_OUT, requireWritable } from './files/writable.ts'

type Holder = ProcessRef & { run: string }

/** Tells whether the process of a reference still lives; injected, because reading processes is the runners' trade. */
export type IsAlive = (ref: ProcessRef) => boolean

/**
 * One run per project folder. Held by pid, start time and host, so that a crashed holder
 * (also one whose pid was given to another process) does not lock anyone out.
 */
export function acquireLock(
  home: string,
  project: string,
  mine: Holder,
  isAlive: IsAlive,
): { release(): void } {
  return acquire(home, lockPath(home, project), mine, isAlive, holder => refusal(holder, project))
}

/**
 * One sitting per run, and nobody else writes its journal meanwhile; also where several runs share a folder.
 * Who holds it may read the journal and rely on what it says.
 */
export function acquireRunLock(home: string, mine: Holder, isAlive: IsAlive): { release(): void } {
  const path = runLockPath(home, mine.run)
  return acquire(home, path, mine, isAlive, holder => `run ${holder.run} (${placeOf(holder)}) is at work`)
}

/** Who holds a run from another host, as far as this one can know: the lock may have outlived its holder there. */
export function heldElsewhere(home: string, run: string): { pid: number; host: string; lock: string } | null {
  const lock = runLockPath(home, run)
  const text = read(lock)
  const holder = text === null ? null : parse(text)
  return holder && isElsewhere(holder) ? { pid: holder.pid, host: holder.host, lock } : null
}

function acquire(
  home: string,
  path: string,
  mine: Holder,
  isAlive: IsAlive,
  refuse: (holder: Holder) => string,
): { release(): void } {
  requireWritable(home, HOME_WAY_OUT, () => mkdirSync(dirname(path), { recursive: true, mode: 0o700 }))
  for (let attempt = 0; attempt < 3; attempt++) {
    if (requireWritable(home, HOME_WAY_OUT, () => create(path, mine)))
      return { release: () => release(path, mine) }
    const text = read(path)
    const holder = text === null ? null : parse(text)
    if (text === null) continue
    if (holder && isHeld(holder, isAlive)) throw new UsageError(refuse(holder) + wayOut(holder, path))
    takeAway(path, text)
  }
  throw new UsageError(`${path} keeps changing hands; try again`)
}

/** Who is at work in a project; null where nobody is, or whoever was is gone. Changes nothing. */
export function readLock(home: string, project: string, isAlive: IsAlive): Holder | null {
  const text = read(lockPath(home, project))
  const holder = text === null ? null : parse(text)
  return holder && isHeld(holder, isAlive) ? holder : null
}

const lockPath = (home: string, project: string) =>
  join(home, 'locks', `${createHash('sha256').update(project).digest('hex').slice(0, 24)}.json`)

const runLockPath = (home: string, run: string) => join(home, 'locks', `run-${run}.json`)

const isElsewhere = ({ host }: Holder) => host !== hostname()

/** A holder on another host cannot be looked at, so it is believed. */
const isHeld = (holder: Holder, isAlive: IsAlive) => isElsewhere(holder) || isAlive(holder)

const placeOf = (holder: Holder) =>
  isElsewhere(holder) ? `pid ${holder.pid} on ${holder.host}` : `pid ${holder.pid}`

/** Only a person can know that a host far away is gone. */
const wayOut = (holder: Holder, path: string) =>
  isElsewhere(holder) ? `; if nothing runs on ${holder.host} any more, remove ${path}` : ''

function refusal(holder: Holder, project: string): string {
  return `run ${holder.run} (${placeOf(holder)}) is at work in ${project}; wait for it, use another working tree, or insist with --shared`
}

/** Written aside and linked into place, so that nobody ever reads half a lock. */
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
    // On a full disk there may be half of it, or none.
    rmSync(aside, { force: true })
  }
}

/** Removes a stale lock, and only that one: what was moved aside is looked at again before it is dropped. */
function takeAway(path: string, stale: string): void {
  const aside = `${path}.${randomBytes(6).toString('hex')}`
  try {
    renameSync(path, aside)
  } catch {
    return // Someone else took it away first.
  }
  if (read(aside) !== stale) {
    try {
      linkSync(aside, path)
    } catch {
      // A third one holds it by now: the next attempt will meet it.
    }
  }
  unlinkSync(aside)
}

function release(path: string, mine: Holder): void {
  const text = read(path)
  const holder = text === null ? null : parse(text)
  if (holder?.pid === mine.pid && holder.startTime === mine.startTime) unlinkSync(path)
}

function read(path: string): string | null {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return null
  }
}

function parse(text: string): Holder | null {
  try {
    const value = JSON.parse(text)
    return typeof value?.pid === 'number' && typeof value.host === 'string' ? value : null
  } catch {
    return null
  }
}
