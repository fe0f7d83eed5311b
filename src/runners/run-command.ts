import type { Exit } from '../core/events.ts'
import { launch } from './process/launch.ts'

export type Ran =
  | { end: 'exited'; exit: Exit; stdout: string; stderr: string }
  | { end: 'timeout' | 'interrupted' }
  | { end: 'unstartable'; why: string }

/** Runs a program to its end, with nothing on its standard input. Never rejects: a crash or a hang is an answer. */
export type RunCommand = (
  argv: string[],
  options: { cwd: string; env: Record<string, string>; timeoutMs: number },
) => Promise<Ran>

const KEPT = 64 * 1024
/** How long output may come after the exit: a pipe that something else holds never ends. */
const DRAIN_MS = 200

/** Runs programs until the signal comes; what is running then, or takes too long, is killed with its whole group. */
export const commandRunner =
  (signal: AbortSignal): RunCommand =>
  async (argv, { cwd, env, timeoutMs }) => {
    const started = await launch({ argv, cwd, env, stdin: '' }, 'pipe').catch((error: Error) => error)
    if (started instanceof Error) return { end: 'unstartable', why: started.message }
    const child = started
    const stdout = keep(child.stdout!)
    const stderr = keep(child.stderr!)

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

function keep(stream: NodeJS.ReadableStream): () => string {
  let text = ''
  stream.setEncoding('utf8').on('data', (chunk: string) => {
    if (text.length < KEPT) text += chunk
  })
  return () => text
}

function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // Gone by itself.
  }
}
