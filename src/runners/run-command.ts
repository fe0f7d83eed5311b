import type { Exit } from '../core/events.ts'
import { launch } from './process/launch.ts'

export type Ran =
  | { end: 'exited'; exit: Exit; stdout: string; stderr: string }
  | { end: 'timeout' }
  | { end: 'interrupted' }
  | { end: 'unstartable'; why: string }

/** Runs a program to its end; its standard input is closed. Never rejects: a crash or a timeout is a result. */
export type RunCommand = (
  argv: string[],
  options: { cwd: string; env: Record<string, string>; timeoutMs: number; stdin?: string },
) => Promise<Ran>

const MAX_OUTPUT = 64 * 1024
/** How long to read output after the exit: a pipe that another process holds never ends. */
const DRAIN_MS = 200

/** Runs programs until the signal is aborted. A program that still runs then, or takes too long, is killed with its group. */
export const commandRunner =
  (signal: AbortSignal): RunCommand =>
  async (argv, { cwd, env, timeoutMs, stdin = '' }) => {
    const started = await launch({ argv, cwd, env, stdin }, 'pipe').catch((error: Error) => error)
    if (started instanceof Error) return { end: 'unstartable', why: started.message }
    const child = started
    const stdout = collect(child.stdout!)
    const stderr = collect(child.stderr!)

    return new Promise(resolve => {
      const finish = (ran: Ran) => {
        clearTimeout(timer)
        clearTimeout(drain)
        signal.removeEventListener('abort', interrupt)
        if (ran.end !== 'exited') killGroup(child.pid)
        child.stdout!.destroy()
        child.stderr!.destroy()
        resolve(ran)
      }
      const interrupt = () => finish({ end: 'interrupted' })
      const timer = setTimeout(() => finish({ end: 'timeout' }), timeoutMs)
      const exited = (code: number | null, name: string | null) =>
        finish({ end: 'exited', exit: { code, signal: name }, stdout: stdout(), stderr: stderr() })
      let drain: NodeJS.Timeout | undefined
      child.once('exit', (code, name) => {
        drain = setTimeout(exited, DRAIN_MS, code, name)
      })
      child.once('close', exited)
      signal.addEventListener('abort', interrupt)
      if (signal.aborted) interrupt()
    })
  }

function collect(stream: NodeJS.ReadableStream): () => string {
  let text = ''
  stream.setEncoding('utf8').on('data', (chunk: string) => {
    if (text.length < MAX_OUTPUT) text += chunk
  })
  return () => text
}

function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // It has already exited.
  }
}
