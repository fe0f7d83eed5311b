import type { Finding } from '../core/events.ts'
import type { Check, Clock } from '../core/ports.ts'
import type { StepId } from '../core/table.ts'
import { runLogged, type StartToFile } from '../runners/logged.ts'
import { headOf, wholeText } from './excerpt.ts'
import { failureMessage, truncate } from './message.ts'
import { countTests } from './rules/count-tests.ts'

export type Guardrail = {
  command: string
  failAction: NonNullable<Finding['action']>
  hint?: string
  /** In seconds. */
  timeout: number
}

/** What a guardrail needs to run. */
export type GuardrailOptions = {
  cwd: string
  env: Record<string, string>
  truncateAt: number
  /** The log of a step, null: of the baseline. `open` makes the empty file; `shown` is its name for people and agents. */
  logFor(id: StepId | null): { open(): number; shown: string }
  start: StartToFile
  clock: Clock
}

/** A shell command of the user's; green is exit code 0. */
export function guardrail(spec: Guardrail, options: GuardrailOptions): Check {
  // Not the first `sh` on PATH: an agent may be able to put one there.
  const argv = process.platform === 'win32' ? ['cmd', '/c', spec.command] : ['/bin/sh', '-c', spec.command]
  const command = { argv, cwd: options.cwd, env: options.env, stdin: '' }
  return {
    name: spec.command,
    ofTree: true,
    async run(work, signal) {
      const { open, shown } = options.logFor(work?.step.id ?? null)
      let count: number | null = 0
      const onEnd = (fd: number) => {
        const output = wholeText(fd)
        count = output === null ? null : countTests(output)
      }
      const { exit, failure, excerpt } = await runLogged(
        options.start,
        command,
        work?.step.id ?? null,
        {
          open,
          excerpt: fd => headOf(fd, options.truncateAt),
          onEnd,
          timeout: spec.timeout,
          clock: options.clock,
        },
        signal,
      )
      const counted = count !== 0 && { count }
      if (failure === null)
        return { finding: { check: spec.command, verdict: 'pass', note: '', log: shown, ...counted }, exit }
      const output = truncate(excerpt, options.truncateAt)
      const note = failureMessage({ command: spec.command, failure, hint: spec.hint, logFile: shown, output })
      return {
        finding: {
          check: spec.command,
          verdict: 'fail',
          note,
          log: shown,
          action: spec.failAction,
          ...counted,
        },
        exit,
      }
    },
  }
}
