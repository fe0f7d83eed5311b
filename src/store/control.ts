import { randomBytes } from 'node:crypto'
import { mkdirSync, readdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { ProcessRef, RunEvent, Sender } from '../core/events.ts'
import { parseJson } from '../core/json.ts'
import type { Control, Controls } from '../core/ports.ts'
import { replaceFile } from './files/atomic.ts'
import { LIMITS, readRegularFile } from './files/read.ts'
import { watchFolder } from './files/watch-folder.ts'

const folderOf = (runDir: string) => join(runDir, 'control')

/**
 * Sends a request to a run. Each is its own file, complete when it appears and gone once it is journaled. `to`: the process
 * it is meant for. `from`: the one that sends it.
 */
export function sendControl(
  runDir: string,
  control: Control,
  now: number,
  { to, from }: { to?: ProcessRef | undefined; from?: Sender } = {},
): string {
  mkdirSync(folderOf(runDir), { recursive: true, mode: 0o700 })
  const name = `${String(now).padStart(15, '0')}-${randomBytes(4).toString('hex')}.json`
  const path = join(folderOf(runDir), name)
  replaceFile(path, JSON.stringify({ ...control, to, from }), 0o600)
  return path
}

/**
 * Receives the requests to a run. A request stays until it is journaled. One that is in the journal already, because of
 * a crash in between, is removed. One that steers an earlier process of the run is refused, and passed to `onRefused`.
 */
export function receiveControls(
  runDir: string,
  past: readonly RunEvent[],
  me: ProcessRef,
  onRefused: (control: Control) => void,
): Controls & { close(): void } {
  const folder = folderOf(runDir)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const listeners = new Set<() => void>()
  // A request that cannot be removed must count only once.
  const stuck = new Set<string>()
  const remove = (id: string) => {
    try {
      rmSync(join(folder, id), { recursive: true, force: true })
    } catch {
      stuck.add(id)
    }
  }
  for (const id of namesIn(folder)) if (isOver(id, past)) remove(id)
  const wake = () => {
    for (const call of listeners) call()
  }
  const watched = keepWatching(folder, wake)
  return {
    pending() {
      watched.renew()
      return namesIn(folder).flatMap(id => {
        if (stuck.has(id)) return []
        const found = read(join(folder, id))
        if (found && isForMe(found, me)) {
          const { control, from } = found
          return [{ id, control, ...(from && { from }) }]
        }
        remove(id)
        if (found) onRefused(found.control)
        return []
      })
    },
    done: remove,
    onChange(call) {
      listeners.add(call)
      return () => void listeners.delete(call)
    },
    close: watched.stop,
  }
}

/** Requests to any process that hosts the run. The others steer one process. */
const LASTING: readonly unknown[] = ['tell', 'todo', 'limit', 'drop', 'allow'] satisfies Control['type'][]

const isForMe = ({ control, to }: Sent, me: ProcessRef): boolean =>
  LASTING.includes(control.type) || to === undefined || isSameProcess(to, me)

/** Whether two references are about the same process. */
export const isSameProcess = (a: ProcessRef, b: ProcessRef): boolean =>
  a.pid === b.pid && a.startTime === b.startTime && a.host === b.host

/** Whether it was handled before the crash. */
const isOver = (id: string, past: readonly RunEvent[]) => past.some(e => 'request' in e && e.request === id)

/**
 * Watches a folder. If it is removed, creates it again.
 * The watcher keeps ralph alive while a paused run has nothing else to wait for.
 */
function keepWatching(folder: string, onRequest: () => void): { renew(): void; stop(): void } {
  const onChange = () => {
    renew()
    onRequest()
  }
  let watched = identity(folder)
  let stop = watchFolder(folder, onChange)
  function renew(): void {
    if (watched !== null && identity(folder) === watched) return
    try {
      mkdirSync(folder, { recursive: true, mode: 0o700 })
    } catch {
      // The run's own folder is gone too: the journal will report that.
      return
    }
    watched = identity(folder)
    stop()
    stop = watchFolder(folder, onChange)
  }
  return { renew, stop: () => stop() }
}

/** What differs in a later folder at the same path, which may have the same inode number. */
function identity(folder: string): string | null {
  try {
    const { ino, birthtimeNs } = statSync(folder, { bigint: true })
    return `${ino} ${birthtimeNs}`
  } catch {
    return null
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
      .filter(name => /^\d+-[0-9a-f]+\.json$/.test(name))
      .sort()
  } catch {
    return []
  }
}

/** A request, the process it was sent to and the one that sent it. */
type Sent = { control: Control; to?: ProcessRef; from?: Sender }

/** What a request says. Null if it cannot be read. */
function read(path: string): Sent | null {
  try {
    const text = readRegularFile(path, { limit: LIMITS.small }).toString()
    const { to, from, ...control } = parseJson(text) as Record<string, unknown>
    if (!isControl(control)) return null
    return { control, ...(isRef(to) && { to }), ...(isSender(from) && { from }) }
  } catch {
    return null
  }
}

const isControl = (value: unknown): value is Control => {
  const { type, text, task, request, iterations, host } = (value ?? {}) as Record<string, unknown>
  if (type === 'tell') return typeof text === 'string' && (task === undefined || typeof task === 'string')
  if (type === 'limit') return Number.isSafeInteger(iterations) && (iterations as number) >= 1
  if (type === 'allow') return typeof host === 'string'
  if (type === 'todo') return request !== undefined
  if (type === 'drop') return typeof task === 'string'
  return ['pause', 'resume', 'cancel', 'retry'].includes(type as string)
}

const isSender = (value: unknown): value is Sender => {
  const { pid, terminal, within } = (value ?? {}) as Partial<Sender>
  return (
    typeof pid === 'number' &&
    (terminal === null || typeof terminal === 'string') &&
    (within === undefined || (Array.isArray(within) && within.every(run => typeof run === 'string')))
  )
}

const isRef = (value: unknown): value is ProcessRef => {
  const { pid, startTime, host } = (value ?? {}) as Partial<ProcessRef>
  return typeof pid === 'number' && typeof startTime === 'string' && typeof host === 'string'
}
