import { closeSync, openSync, readSync } from 'node:fs'
import type { Finding } from '../core/events.ts'
import type { Check } from '../core/ports.ts'
import { runLogged, type StartToFile } from './logged.ts'
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
  start: StartToFile
}

/** A shell command of the user's; green is exit code 0. */
export function guardrail(spec: Guardrail, around: Surroundings): Check {
  const argv = process.platform === 'win32' ? ['cmd', '/c', spec.command] : ['sh', '-c', spec.command]
  const command = { argv, cwd: around.cwd, env: around.env, stdin: '' }
  return {
    name: spec.command,
    async run(step, signal) {
      const { path, shown } = around.logFor(step?.n ?? 0)
      const ran = await runLogged(
        around.start,
        command,
        step?.id ?? null,
        { path, timeout: spec.timeout },
        signal,
      )
      const failure = failureOf(ran)
      if (failure === null)
        return { finding: { check: spec.command, verdict: 'pass', note: '', log: shown }, exit: ran.exit }
      const output = truncate(headOf(path, around.truncateAt), around.truncateAt)
      const note = failureMessage({ command: spec.command, failure, hint: spec.hint, logFile: shown, output })
      return {
        finding: { check: spec.command, verdict: 'fail', note, log: shown, action: spec.failAction },
        exit: ran.exit,
      }
    },
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
