import { type ChildProcess, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { closeSync, openSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { CannotGoOn } from '../../core/ports.ts'
import { whenRoom } from '../../core/trouble/no-room.ts'
import { WARDEN_SCRIPT } from './warden-script.ts'

/** A warden that is ended more often than this, somebody ends on purpose. */
const MAX_STARTS = 20
const WITHIN_MS = 10_000

/** A process that outlives ralph for a moment, to end what ralph can no longer end. */
export type Warden = {
  /** Starts it unless it runs. Rejects with CannotGoOn if that fails: no process may run without it. */
  start(): Promise<void>
  /** Adds a running process group, which is ended first if ralph dies. */
  add(pgid: number): void
  drop(pgid: number): void
  /** Ends it: ralph has ended everything itself. */
  dismiss(): void
}

export type WardenMark = { name: string; value: string; limit: string | null }

/**
 * Keeps one warden running. It knows the marks that every process of this incarnation carries. `onWornOut`: something
 * keeps ending it, so what runs must be ended now. Nothing is started any more.
 */
export function keepWarden(mark: WardenMark, onWornOut: () => void): Warden {
  const groups = new Set<number>()
  let shell: ChildProcess | null = null
  /** When the last ones were started. */
  let starts: number[] = []
  let wornOut = false
  let dismissed = false

  /** An open file with the running groups. The warden reads it only after ralph has died. */
  let list: number | null = null
  const writeGroups = (): void => {
    if (list === null) return
    const line = `${[...groups].join(' ')}\n`
    requireTmpdir(() => writeSync(list!, line, 0))
  }

  let starting: Promise<void> | null = null
  /** One at a time: each start that finds no room leaves a pipe open. */
  function start(): Promise<void> {
    starting ??= whenRoom('the warden', delay, startNow).finally(() => {
      starting = null
    })
    return starting
  }

  async function startNow(): Promise<void> {
    if (dismissed) return
    if (wornOut)
      throw new CannotGoOn(
        'something keeps ending the warden, which cleans up if ralph dies; nothing is started without it',
      )
    // Somebody may have stopped it.
    if (shell) return void shell.kill('SIGCONT')
    list ??= openUnnamed()
    writeGroups()
    // Without the mark (it would end itself), without secrets, and in `/`, so that it keeps no folder in use.
    const args = ['-c', WARDEN_SCRIPT, 'ralph-warden', mark.name, mark.value, mark.limit ?? '']
    const started = spawn('/bin/sh', args, {
      cwd: '/',
      env: { PATH: `/usr/bin:/bin:${process.env.PATH ?? ''}`, LC_ALL: 'C' },
      stdio: ['pipe', 'ignore', 'ignore', list],
      detached: true,
    })
    if (started.pid === undefined) {
      const [cause] = (await once(started, 'error')) as [Error]
      throw new CannotGoOn(`cannot start the warden: ${cause.message}`, { cause })
    }
    started.on('error', () => {})
    shell = started
    const now = performance.now()
    starts = [...starts.filter(at => now - at < WITHIN_MS), now]
    started.stdin?.on('error', () => {})
    started.once('exit', () => {
      shell = null
      if (dismissed) return
      // If it fails, the next start of a process tries again, and fails if there is still no warden.
      if (starts.length < MAX_STARTS) return void start().catch(() => {})
      wornOut = true
      onWornOut()
    })
    // Ralph must not wait for it to exit.
    started.unref()
  }

  return {
    start,
    add(pgid) {
      groups.add(pgid)
      writeGroups()
    },
    drop(pgid) {
      if (groups.delete(pgid)) writeGroups()
    },
    dismiss() {
      if (dismissed) return
      dismissed = true
      shell?.stdin?.end('bye\n')
      if (list !== null) closeSync(list)
      list = null
    },
  }
}

/** Opens a file and removes its name: only processes that inherit it can read it, and it is gone with the last of them. */
function openUnnamed(): number {
  const path = join(tmpdir(), `ralph-${randomUUID()}`)
  try {
    return requireTmpdir(() => openSync(path, 'wx+', 0o600))
  } finally {
    rmSync(path, { force: true })
  }
}

/** An error here is not the agent's failure, so it stops the run. */
function requireTmpdir<T>(act: () => T): T {
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
