import type { Exit } from '../core/events.ts'
import type { Command, Env } from '../core/ports.ts'
import { launch } from './process/launch.ts'
import type { ProcessRunner } from './process/process.ts'

export type Ran =
  | { end: 'exited'; exit: Exit; stdout: string; stderr: string }
  | { end: 'timeout' }
  | { end: 'interrupted' }
  | { end: 'unstartable'; why: string }

/** Runs a program to its end. Its standard input is closed. Never rejects: a crash or a timeout is a result. */
export type RunCommand = (
  argv: string[],
  options: { cwd: string; env: Env; timeoutMs: number; stdin?: string },
) => Promise<Ran>

const MAX_OUTPUT = 64 * 1024
/** How long to read output after the exit: a pipe that another process holds never ends. */
const DRAIN_MS = 200

/**
 * Runs programs until the signal is aborted. A program that still runs then, or takes too long, is killed with its group.
 */
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

/** The same by the runner of a run: in its sandbox, if it has one, and what a program leaves running is ended. */
export const confinedRunner =
  (
    { start }: Pick<ProcessRunner, 'start'>,
    confinement: Pick<Command, 'unconfined' | 'online'>,
    signal: AbortSignal,
  ): RunCommand =>
  async (argv, { cwd, env, timeoutMs, stdin = '' }) => {
    const [stdout, stderr] = [keepText(), keepText()]
    const sink = { line() {}, bytes: stdout.add, error: stderr.add }
    let cutOff: 'timeout' | 'interrupted' | null = null
    try {
      const live = await start({ argv, cwd, env, stdin, ...confinement }, null, sink)
      const stopFor = (why: 'timeout' | 'interrupted') => {
        cutOff ??= why
        void live.stop()
      }
      const interrupt = () => stopFor('interrupted')
      const timer = setTimeout(() => stopFor('timeout'), timeoutMs)
      signal.addEventListener('abort', interrupt)
      if (signal.aborted) interrupt()
      const exit = await live.exit.finally(() => {
        clearTimeout(timer)
        signal.removeEventListener('abort', interrupt)
      })
      await live.sweep()
      return cutOff ? { end: cutOff } : { end: 'exited', exit, stdout: stdout.text(), stderr: stderr.text() }
    } catch (error) {
      return { end: 'unstartable', why: (error as Error).message }
    }
  }

function collect(stream: NodeJS.ReadableStream): () => string {
  const { add, text } = keepText()
  stream.on('data', add)
  return text
}

/** Keeps the beginning of an output. */
function keepText(): { add(chunk: Uint8Array): void; text(): string } {
  const decoder = new TextDecoder()
  let text = ''
  return {
    add(chunk) {
      if (text.length < MAX_OUTPUT) text += decoder.decode(chunk, { stream: true })
    },
    text: () => text,
  }
}

function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // It has already exited.
  }
}
