import { closeSync, fstatSync, ftruncateSync } from 'node:fs'
import type { Exit } from '../core/events.ts'
import { CannotGoOn, type Command, type Live } from '../core/ports.ts'
import type { StepId } from '../core/table.ts'
import { type Failure, failureOf } from './failure.ts'

/** Starts a process whose whole output goes to an open file. */
export type StartToFile = (command: Command, id: StepId | null, fd: number) => Promise<Live>

/** Whoever prints more than this is not checking but filling the disk. Looked at every second; of what it wrote, the beginning is kept. */
const MOST = { written: 1e9, kept: 64e6 }

export type Log = {
  /** Opens it, empty, to write and read. */
  open(): number
  /** What is to be told of it when the command did not pass. */
  excerpt(fd: number): string
  /** How long the command may take, in seconds. */
  timeout: number
  most?: typeof MOST
}

/** `failure`: why it did not pass, for the end of a sentence; null when it passed. */
export type Logged = { exit: Exit; failure: string | null; excerpt: string }

/** Runs a command to its end, or to the end of its time or room, its output into a log. Never throws for trouble of the command. */
export async function runLogged(
  start: StartToFile,
  command: Command,
  id: StepId | null,
  log: Log,
  signal: AbortSignal,
): Promise<Logged> {
  let fd: number | undefined
  try {
    fd = log.open()
    const ran = await runInto(fd, start, command, id, log, signal)
    const failure = failureOf(ran)
    return { exit: ran.exit, failure, excerpt: failure === null ? '' : log.excerpt(fd) }
  } catch (error) {
    if (error instanceof CannotGoOn) throw error
    const exit = { code: null, signal: null }
    return { exit, failure: failureOf({ exit, stopped: null, error: (error as Error).message }), excerpt: '' }
  } finally {
    if (fd !== undefined) closeSync(fd)
  }
}

async function runInto(
  fd: number,
  start: StartToFile,
  command: Command,
  id: StepId | null,
  { timeout, most = MOST }: Log,
  signal: AbortSignal,
): Promise<Failure> {
  let stopped: string | null = null
  const live = await start(command, id, fd)
  const stop = () => void live.stop()
  const stopFor = (why: string) => {
    stopped ??= why
    stop()
  }
  const timer = setTimeout(() => stopFor(`timed out after ${timeout}s`), timeout * 1000)
  const looking = setInterval(() => {
    if (fstatSync(fd).size > most.written) stopFor(`wrote more than ${most.written / 1e9} GB, and was ended`)
  }, 1000)
  signal.addEventListener('abort', stop)
  if (signal.aborted) stop()
  const exit = await live.exit.finally(() => {
    clearTimeout(timer)
    clearInterval(looking)
    signal.removeEventListener('abort', stop)
  })
  if (fstatSync(fd).size > most.written) ftruncateSync(fd, most.kept)
  return { exit, stopped, error: null }
}
