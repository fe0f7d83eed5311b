import { type ChildProcess, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { closeSync, openSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { WARDEN_SCRIPT } from './warden-script.ts'

/** A warden that cannot stay alive must not be started for ever. */
const MAX_STARTS = 100

/** Outlives ralph by a moment, to end what ralph can no longer end. */
export type Warden = {
  /** Starts it unless it runs. Throws a sentence when that is impossible. */
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
    if (list !== null) writeSync(list, `${[...groups].join(' ')}\n`, 0)
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
    if (started.pid === undefined) throw new Error('cannot start the warden: /bin/sh does not run')
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
    return openSync(path, 'wx+', 0o600)
  } catch (error) {
    throw new Error(`cannot start the warden: ${(error as Error).message}`, { cause: error })
  } finally {
    rmSync(path, { force: true })
  }
}
