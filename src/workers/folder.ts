import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { UsageError } from '../core/usage-error.ts'
import { matchingRuns } from '../runs/find.ts'
import {
  allWorkers,
  RECORD,
  readWorker,
  type WorkerRecord,
  workerDir,
  workersDir,
} from '../runs/worker-record.ts'
import { replaceFile } from '../store/files/atomic.ts'
import { HOME_WAY_OUT, requireWritable } from '../store/files/writable.ts'

/** The files of a worker's folder. */
export const FILES = {
  state: 'state.json',
  log: 'iterations.log',
  /** What its window shows. */
  view: 'view.log',
  /** What was in it before it became too long. */
  earlierView: 'view.log.1',
  /** What its supervisor printed, if it crashed for example. */
  supervisor: 'supervisor.log',
  /** What the next supervisor is to do. */
  launch: 'launch.json',
} as const

/** Where the folders of ended workers go whose names are used again. */
const ASIDE = '.ended'

/** The worker of this name. Throws if there is none. */
export function workerNamed(home: string, name: string): WorkerRecord {
  const found = readWorker(home, name)
  if (found) return found
  if (matchingRuns(home, name).includes(name))
    throw new UsageError(`${name} is a run, not a worker; see: ralph status ${name}`)
  const names = allWorkers(home).map(worker => worker.name)
  const known =
    names.length === 0 ? 'there are none yet; start one with: ralph spawn' : `there are: ${names.join(', ')}`
  throw new UsageError(`no worker '${name}' in ${workersDir(home)}; ${known}`)
}

export function makeWorkerDir(home: string, name: string): string {
  const dir = workerDir(home, name)
  requireWritable(home, HOME_WAY_OUT, () => mkdirSync(dir, { recursive: true, mode: 0o700 }))
  return dir
}

export const writeRecord = (home: string, record: WorkerRecord): void =>
  replaceFile(join(workerDir(home, record.name), RECORD), `${JSON.stringify(record, null, 2)}\n`, 0o600)

/** Changes a record if it is still that of this run: somebody may have removed it, or used its name again. */
export function changeRecord(home: string, { name, run }: WorkerRecord, change: Partial<WorkerRecord>): void {
  const now = readWorker(home, name)
  if (now?.run === run) writeRecord(home, { ...now, ...change })
}

/** Sets the folder of an ended worker aside. Returns what puts it back. */
export function setFolderAside(home: string, name: string): () => void {
  const dir = workerDir(home, name)
  if (!existsSync(dir)) return () => {}
  const run = readWorker(home, name)?.run ?? `unknown-${Date.now()}`
  const aside = join(workersDir(home), ASIDE, `${name}@${run}`)
  mkdirSync(join(workersDir(home), ASIDE), { recursive: true, mode: 0o700 })
  rmSync(aside, { recursive: true, force: true })
  renameSync(dir, aside)
  return () => {
    rmSync(dir, { recursive: true, force: true })
    renameSync(aside, dir)
  }
}

/** Removes a worker's folder, and those of earlier workers of this name. Its runs stay. */
export function removeWorker(home: string, name: string): void {
  rmSync(workerDir(home, name), { recursive: true, force: true })
  const aside = join(workersDir(home), ASIDE)
  if (!existsSync(aside)) return
  for (const entry of readdirSync(aside))
    if (entry.startsWith(`${name}@`)) rmSync(join(aside, entry), { recursive: true, force: true })
}
