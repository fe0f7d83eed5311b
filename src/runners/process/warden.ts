import { type ChildProcess, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { closeSync, openSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CannotGoOn } from '../../core/ports.ts'
import { WARDEN_SCRIPT } from './warden-script.ts'

/** A warden that cannot stay alive must not be started for ever. */
const MAX_STARTS = 100

/** Outlives ralph by a moment, to end what ralph can no longer end. */
export type Warden = {
  /** Starts it unless it runs. Throws CannotGoOn when that is impossible: without it nothing may be started. */
  start(): void
  /** A process group is in flight: it is ended first, should ralph die. */
  add(pgid: number): void
  drop(pgid: number): void
  /** Lets it go: ralph has ended everything itself. */
  dismiss(): void
  readonly pid: number | null
}

/** Keeps one warden alive that knows the mark which every process of this sitting carries. */
export function keepWarden(mark: { name: string; value: string }): Warden {
  const groups = new Set<number>()
  let shell: ChildProcess | null = null
  let starts = 0
  let dismissed = false

  /** The groups in flight, for the warden to read when ralph is gone: until then nothing wakes it. */
  let list: number | null = null
  const note = (): void => {
    if (list === null) return
    const line = `${[...groups].join(' ')}\n`
    needFolder(() => writeSync(list!, line, 0))
  }

  function start(): void {
    if (shell || dismissed || starts >= MAX_STARTS) return
    starts++
    list ??= openNameless()
    note()
    // Neither the mark (it would end itself) nor anything else of ours: no secrets, and no folder held in use.
    const args = ['-c', WARDEN_SCRIPT, 'ralph-warden', mark.name, mark.value]
    const started = spawn('/bin/sh', args, {
      cwd: '/',
      env: { PATH: `/usr/bin:/bin:${process.env.PATH ?? ''}`, LC_ALL: 'C' },
      stdio: ['pipe', 'ignore', 'ignore', list],
      detached: true,
    })
    started.on('error', () => {})
    if (started.pid === undefined) throw new CannotGoOn('cannot start the warden: /bin/sh does not run')
    shell = started
    started.stdin?.on('error', () => {})
    started.once('exit', () => {
      shell = null
      restart()
    })
    // Waiting for it is no reason for ralph to stay.
    started.unref()
  }

  function restart(): void {
    try {
      start()
    } catch {
      // The next process that is to be started asks again, and is refused if there is still no warden.
    }
  }

  return {
    start,
    add(pgid) {
      groups.add(pgid)
      note()
    },
    drop(pgid) {
      if (groups.delete(pgid)) note()
    },
    dismiss() {
      if (dismissed) return
      dismissed = true
      shell?.stdin?.end('bye\n')
      if (list !== null) closeSync(list)
      list = null
    },
    get pid() {
      return shell?.pid ?? null
    },
  }
}

/** A file that only those can read who were given it, and that is gone with the last of them. */
function openNameless(): number {
  const path = join(tmpdir(), `ralph-${randomUUID()}`)
  try {
    return needFolder(() => openSync(path, 'wx+', 0o600))
  } finally {
    rmSync(path, { force: true })
  }
}

/** Where there is no room for a warden, no agent is to blame. */
function needFolder<T>(act: () => T): T {
  try {
    return act()
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException
    const why = { ENOENT: 'no such folder', EACCES: 'permission denied', ENOSPC: 'the disk is full' }
    throw new CannotGoOn(
      `cannot write to ${tmpdir()}: ${why[code as keyof typeof why] ?? message}; set TMPDIR to a folder of yours`,
      { cause },
    )
  }
}
