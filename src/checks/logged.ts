import { closeSync, openSync } from 'node:fs'
import type { Command, Live } from '../core/ports.ts'
import type { StepId } from '../core/workflow.ts'
import type { Failure } from './message.ts'

/** Starts a process whose whole output goes to an open file. */
export type StartToFile = (command: Command, id: StepId | null, fd: number) => Promise<Live>

/** Runs a command to its end, or to the end of its time, its output into a log. Never throws for trouble of the command. */
export async function runLogged(
  start: StartToFile,
  command: Command,
  id: StepId | null,
  log: { path: string; timeout: number },
  signal: AbortSignal,
): Promise<Failure> {
  const fd = openSync(log.path, 'w')
  let timedOutAfter: number | null = null
  try {
    const live = await start(command, id, fd)
    const stop = () => void live.stop()
    const timer = setTimeout(() => {
      timedOutAfter = log.timeout
      stop()
    }, log.timeout * 1000)
    signal.addEventListener('abort', stop)
    if (signal.aborted) stop()
    const exit = await live.exit.finally(() => {
      clearTimeout(timer)
      signal.removeEventListener('abort', stop)
    })
    return { exit, timedOutAfter, error: null }
  } catch (error) {
    return { exit: { code: null, signal: null }, timedOutAfter, error: (error as Error).message }
  } finally {
    closeSync(fd)
  }
}
