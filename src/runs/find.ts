import { existsSync, mkdirSync, readdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { RunEvent } from '../core/events.ts'
import { UsageError } from '../core/usage-error.ts'
import { kindAt } from '../store/files/inside.ts'
import { homeFolder } from '../store/files/paths.ts'
import { bornAt, idAt } from '../store/files/pinned.ts'
import { HOME_WAY_OUT, requireWritable } from '../store/files/writable.ts'
import { beganIn, beginningOf, EarlierBuild, journalPath, readJournal } from '../store/journal.ts'
import { type Beginning, FORMAT } from '../store/journal-lines.ts'
import { findReceipt } from '../store/receipts.ts'
import { sessionDir } from '../store/session.ts'
import { isUndone } from '../view/report/ending.ts'
import { allWorkers, readWorker } from './worker-record.ts'

type Began = Extract<RunEvent, { type: 'began' }>

export type StoredRun = {
  id: string
  dir: string
  /** As if the run had begun in the project where it was last at work. */
  began: Began
  events: RunEvent[]
  /** Where the run was last at work, and in which folder. */
  last: { project: string; folder?: string; born?: number }
}

export const ralphHome = (env: NodeJS.ProcessEnv): string =>
  resolve(env.RALPH_HOME || join(homeFolder(), '.ralph'))

/** Sorts by time, also within a second, and is short enough to type. A random part separates runs that began together. */
export function newRunId(now: Date, random: number): string {
  const stamp = now.toISOString().replace(/[-:]/g, '').replace('T', '-').slice(0, 15)
  const within = (now.getMilliseconds() + random) / 1000
  return `${stamp}-${Math.floor(within * 36 ** 3)
    .toString(36)
    .padStart(3, '0')}`
}

export const runDir = (home: string, id: string): string => join(home, 'runs', id)

export function makeRunDir(home: string, id: string): string {
  const dir = runDir(home, id)
  requireWritable(home, HOME_WAY_OUT, () => {
    mkdirSync(join(home, 'runs'), { recursive: true, mode: 0o700 })
    // A request to a run that is about to begin may have made it.
    mkdirSync(dir, { recursive: true, mode: 0o700 })
  })
  return dir
}

export const matchingRuns = (home: string, name: string): string[] =>
  runIds(home).filter(id => id.startsWith(name) || id.endsWith(name))

/** A run by the name of its worker, by its id, or by the beginning or end of one if no other run matches. */
export const findRun = (home: string, name: string): StoredRun => readRun(home, findRunId(home, name))

/** The id of such a run. Its journal is not read. */
export function findRunId(home: string, name: string): string {
  // As from a variable that was never set. It would match every id.
  if (name.trim() === '')
    throw new UsageError('the id of the run is empty; leave it out for the latest run, or name one')
  const worker = readWorker(home, name)
  if (worker && existsSync(journalPath(runDir(home, worker.run)))) return worker.run
  const matches = matchingRuns(home, name)
  const id = matches.includes(name) ? name : matches.length === 1 ? matches[0] : undefined
  if (id !== undefined) return id
  if (matches.length > 1)
    throw new UsageError(`"${name}" matches several runs: ${matches.slice(0, 5).join(', ')}`)
  if (findReceipt(home, name) !== null)
    throw new UsageError(`run "${name}" was deleted by ralph gc; its receipt is left: ralph report ${name}`)
  const workers = allWorkers(home).map(worker => worker.name)
  const others = workers.length === 0 ? '' : `, and no worker of that name; there are: ${workers.join(', ')}`
  throw new UsageError(
    `no run "${name}" in ${join(home, 'runs')}${others}; ralph ls --all lists those of this project`,
  )
}

/** The latest run of a folder. Null if there is none. */
export const latestRun = (home: string, project: string): StoredRun | null =>
  latestMatching(home, project, () => true, readRun)

/** The latest run of a folder that can go on, and was not undone. Null if there is none. */
export const latestUnfinished = (home: string, project: string): StoredRun | null =>
  latestMatching(home, project, run => canGoOn(run.events) && !isUndone(run.events))

/**
 * The latest matching run of a folder, finished or not. `read`: how to read one. By default, earlier builds' are left out.
 */
export function latestMatching(
  home: string,
  project: string,
  matches: (run: StoredRun) => boolean,
  read: (home: string, id: string) => StoredRun | null = readCurrent,
): StoredRun | null {
  for (const id of runIds(home).reverse()) {
    if (!mayBelong(home, id, project)) continue
    const run = read(home, id)
    if (run && isIn(run, project) && matches(run)) return run
  }
  return null
}

/**
 * Without reading the whole journal: most runs are of other folders, and there may be hundreds with long lists. A run that
 * was resumed elsewhere has a session there.
 */
function mayBelong(home: string, id: string, project: string): boolean {
  const dir = runDir(home, id)
  if (![project, null].includes(beganIn(dir)) && !hasSession(id, project)) return false
  const began = beginningOf(dir)
  return began !== null && (began.project === project || hasSession(id, project))
}

/** Whether this folder is the one that the run was last at work in. */
export const isIn = ({ last }: StoredRun, project: string): boolean =>
  last.project === project && isSameFolder(last, project)

/** A disk may have another number after a reboot, but a folder keeps its own, and the time at which it was made. */
function isSameFolder({ folder, born }: StoredRun['last'], path: string): boolean {
  const found = idAt(path)
  if (found === null || folder === undefined || found === folder) return found !== null
  return inodeOf(found) === inodeOf(folder) && born !== undefined && born === bornAt(path)
}

const inodeOf = (id: string): string => id.slice(id.indexOf(':'))

/** Whether the folder has a session of this run. That says only where a run may be: its journal says where it is. */
export const hasSession = (id: string, project: string): boolean =>
  kindAt(sessionDir(project, id)) === 'folder'

/** All runs of a folder that can be read, the oldest first. */
export const runsIn = (home: string, project: string): StoredRun[] =>
  storedRuns(home).filter(run => isIn(run, project))

/** All runs that can be read, the oldest first. */
export const storedRuns = (home: string): StoredRun[] =>
  runIds(home).flatMap(id => {
    try {
      return [readRun(home, id)]
    } catch {
      return []
    }
  })

/** Not finished, or ended at a limit that can be raised. */
export function canGoOn(events: readonly RunEvent[]): boolean {
  const last = events.findLast(e => e.type === 'finished' || e.type === 'resumed')
  return last?.type !== 'finished' || (last.result !== 'complete' && last.result !== 'cancelled')
}

/** The run of exactly this id. */
export function readRun(home: string, id: string): StoredRun {
  const dir = runDir(home, id)
  const events = readJournal(dir)
  const began = events[0]
  if (began?.type !== 'began')
    throw new UsageError(`${journalPath(dir)} does not begin with the start of a run; it cannot be resumed`)
  const last = events.findLast(isPlaced)
  return last
    ? placeAt({ id, dir, began, events, last }, last.project)
    : { id, dir, began, events, last: began }
}

type Placed = Extract<RunEvent, { type: 'resumed' }> & { project: string }

const isPlaced = (event: RunEvent): event is Placed => event.type === 'resumed' && event.project !== undefined

/** The run with its project in this folder: its first event is as if it had begun there. */
export function placeAt(run: StoredRun, project: string): StoredRun {
  const began = { ...run.began, project, pins: { ...run.began.pins, project } }
  return { ...run, began, events: [began, ...run.events.slice(1)] }
}

/** The same. Null for a run of an earlier build of ralph. */
function readCurrent(home: string, id: string): StoredRun | null {
  try {
    return readRun(home, id)
  } catch (error) {
    if (error instanceof EarlierBuild) return null
    throw error
  }
}

/** The runs of a folder that an earlier build of ralph wrote, the oldest first. */
export const earlierRunsIn = (home: string, project: string): Beginning[] =>
  runIds(home).flatMap(id => {
    const began = beginningOf(runDir(home, id))
    return began !== null && began.project === project && began.v < FORMAT ? [began] : []
  })

/** Whether an earlier build of ralph wrote the run. */
export const isOfEarlierBuild = (home: string, id: string): boolean =>
  (beginningOf(runDir(home, id))?.v ?? FORMAT) < FORMAT

export function runIds(home: string): string[] {
  const dir = join(home, 'runs')
  if (!existsSync(dir)) return []
  return readdirSync(dir)
    .filter(id => existsSync(journalPath(join(dir, id))))
    .sort()
}
