import { closeSync, openSync, readSync } from 'node:fs'
import type { Finding } from '../core/events.ts'
import type { Check, Command, Live } from '../core/ports.ts'
import type { StepId } from '../core/workflow.ts'
import { failureMessage, failureOf, truncate } from './message.ts'

export type Guardrail = {
  command: string
  failAction: NonNullable<Finding['action']>
  hint?: string
  /** In seconds. */
  timeout: number
}

/** What a guardrail needs: a place for its log, and a runner that writes a process's output straight into it. */
export type Surroundings = {
  cwd: string
  env: Record<string, string>
  truncateAt: number
  /** Where the log goes, and how people and agents should name it. */
  logFor(n: number): { path: string; shown: string }
  start(command: Command, id: StepId, fd: number): Promise<Live>
}

/** A shell command of the user's; green is exit code 0. */
export function guardrail(spec: Guardrail, around: Surroundings): Check {
  return {
    name: spec.command,
    async run(step, signal) {
      const log = around.logFor(step?.n ?? 0)
      const fd = openSync(log.path, 'w')
      try {
        const ran = await runShell(spec, around, step?.id ?? 0, fd, signal)
        const failure = failureOf(ran)
        const note =
          failure === null
            ? ''
            : failureMessage({
                command: spec.command,
                failure,
                hint: spec.hint,
                logFile: log.shown,
                output: truncate(headOf(log.path, around.truncateAt), around.truncateAt),
              })
        const verdict = failure === null ? 'pass' : 'fail'
        const action = failure === null ? undefined : spec.failAction
        return { finding: { check: spec.command, verdict, note, log: log.shown, action }, exit: ran.exit }
      } finally {
        closeSync(fd)
      }
    },
  }
}

async function runShell(spec: Guardrail, around: Surroundings, id: StepId, fd: number, signal: AbortSignal) {
  const argv = process.platform === 'win32' ? ['cmd', '/c', spec.command] : ['sh', '-c', spec.command]
  let live: Live
  try {
    live = await around.start({ argv, cwd: around.cwd, env: around.env, stdin: '' }, id, fd)
  } catch (error) {
    return { exit: { code: null, signal: null }, timedOutAfter: null, error: (error as Error).message }
  }
  let timedOutAfter: number | null = null
  const stop = () => void live.stop()
  const timer = setTimeout(() => {
    timedOutAfter = spec.timeout
    stop()
  }, spec.timeout * 1000)
  signal.addEventListener('abort', stop)
  if (signal.aborted) stop()
  try {
    const exit = await live.exit
    return { exit, timedOutAfter, error: null }
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', stop)
  }
}

/** As much of a log as can be shown, without reading the rest of it. */
function headOf(path: string, chars: number): string {
  const fd = openSync(path, 'r')
  try {
    // Four bytes are the most a character takes; one more character tells whether there is a rest.
    const bytes = Buffer.alloc((chars + 1) * 4)
    const n = readSync(fd, bytes)
    return bytes.subarray(0, n).toString('utf8')
  } finally {
    closeSync(fd)
  }
}
