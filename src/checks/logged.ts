import { closeSync, fstatSync, ftruncateSync, openSync } from 'node:fs'
import type { Command, Live } from '../core/ports.ts'
import type { StepId } from '../core/workflow.ts'
import type { Failure } from './message.ts'

/** Starts a process whose whole output goes to an open file. */
export type StartToFile = (command: Command, id: StepId | null, fd: number) => Promise<Live>

/** Whoever prints more than this is not checking but filling the disk. Looked at every second; of what it wrote, the beginning is kept. */
const MOST = { written: 1e9, kept: 64e6 }

/** Runs a command to its end, or to the end of its time or room, its output into a log. Never throws for trouble of the command. */
export async function runLogged(
  start: StartToFile,
  command: Command,
  id: StepId | null,
  log: { path: string; timeout: number; most?: typeof MOST },
  signal: AbortSignal,
): Promise<Failure> {
  const { path, timeout, most = MOST } = log
  const fd = openSync(path, 'w')
  let stopped: string | null = null
  try {
    const live = await start(command, id, fd)
    const stop = () => void live.stop()
    const stopFor = (why: string) => {
      stopped ??= why
      stop()
    }
    const timer = setTimeout(() => stopFor(`timed out after ${timeout}s`), timeout * 1000)
    const looking = setInterval(() => {
      if (fstatSync(fd).size > most.written)
        stopFor(`wrote more than ${most.written / 1e9} GB, and was ended`)
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
  } catch (error) {
    return { exit: { code: null, signal: null }, stopped, error: (error as Error).message }
  } finally {
    closeSync(fd)
  }
}
