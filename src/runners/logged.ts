import { setMaxListeners } from 'node:events'
import { closeSync, fstatSync, ftruncateSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import type { Exit } from '../core/events.ts'
import { afterRunning, CannotGoOn, type Clock, type Command, type Live } from '../core/ports.ts'
import type { StepId } from '../core/table.ts'
import { whenRoom } from '../core/trouble/no-room.ts'

/** Starts a process whose whole output goes to an open file. */
export type StartToFile = (command: Command, id: StepId | null, fd: number) => Promise<Live>

/** A command that writes more bytes than `written` would fill the disk, so it is ended. The first `kept` bytes stay. */
const LIMITS = { written: 1e9, kept: 64e6 }

export type Log = {
  /** Opens an empty file to write and read. */
  open(): number
  /** The part to show if the command did not pass. */
  excerpt(fd: number): string
  /** The command has ended by itself or was ended, and the log is complete. */
  onEnd?(fd: number): void
  /** How long the command may take, in seconds. */
  timeout: number
  clock: Clock
  limits?: typeof LIMITS
}

/** `failure`: why it did not pass, for the end of a sentence. Null if it passed. */
export type Logged = {
  exit: Exit
  failure: string | null
  /** Ralph ended it, or it could not be started. */
  isCutOff: boolean
  excerpt: string
}

/**
 * Runs a command with its output in a log, ends it at the limits of time and size, and ends what it left running. A
 * failure of the command never throws.
 */
export async function runLogged(
  start: StartToFile,
  command: Command,
  id: StepId | null,
  log: Log,
  signal: AbortSignal,
): Promise<Logged> {
  let fd: number | undefined
  try {
    fd = await whenRoom(command.argv.at(-1)!, delay, log.open)
    const ran = await runInto(fd, start, command, id, log, signal)
    const failure = failureOf(ran)
    log.onEnd?.(fd)
    const isCutOff = ran.stopped !== null
    return { exit: ran.exit, failure, isCutOff, excerpt: failure === null ? '' : log.excerpt(fd) }
  } catch (error) {
    if (error instanceof CannotGoOn) throw error
    const exit = { code: null, signal: null }
    const failure = failureOf({ exit, stopped: null, error: (error as Error).message })
    return { exit, failure, isCutOff: true, excerpt: '' }
  } finally {
    if (fd !== undefined) closeSync(fd)
  }
}

async function runInto(
  fd: number,
  start: StartToFile,
  command: Command,
  id: StepId | null,
  { timeout, clock, limits = LIMITS }: Log,
  signal: AbortSignal,
): Promise<Failure> {
  let stopped: string | null = null
  const live = await start(command, id, fd)
  const stop = () => void live.stop()
  const stopFor = (why: string) => {
    stopped ??= why
    stop()
  }
  const cancel = afterRunning(clock, timeout * 1000, () => stopFor(`timed out after ${timeout}s`))
  const sizeTimer = setInterval(() => {
    if (fstatSync(fd).size > limits.written)
      stopFor(`wrote more than ${limits.written / 1e9} GB, and was ended`)
  }, 1000)
  // All checks of an iteration may run at once, and each listens.
  setMaxListeners(0, signal)
  signal.addEventListener('abort', stop)
  if (signal.aborted) stop()
  const exit = await live.exit.finally(() => {
    cancel()
    clearInterval(sizeTimer)
    signal.removeEventListener('abort', stop)
  })
  await live.sweep()
  if (fstatSync(fd).size > limits.written) ftruncateSync(fd, limits.kept)
  return { exit, stopped, error: null }
}

/** `stopped`: why ralph ended it, or null. */
export type Failure = { exit: Exit; stopped: string | null; error: string | null }

/** Why a command did not pass, for the end of a sentence. Null if it passed. */
export function failureOf({ exit, stopped, error }: Failure): string | null {
  if (error !== null) return `could not be run: ${error}`
  if (stopped !== null) return stopped
  if (exit.signal !== null) return `was killed by ${exit.signal}`
  if (exit.code === 127) return 'failed with exit code 127 (command not found)'
  return exit.code === 0 ? null : `failed with exit code ${exit.code}`
}
