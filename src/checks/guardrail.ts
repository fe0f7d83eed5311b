import type { Finding } from '../core/events.ts'
import type { Check } from '../core/ports.ts'
import { type CommandOptions, type LogFor, runCommand } from './command-run.ts'
import { failureMessage, truncate } from './message.ts'
import { countTests } from './rules/count-tests.ts'

export type Guardrail = {
  command: string
  failAction: NonNullable<Finding['action']>
  hint?: string
  /** In seconds. */
  timeout: number
}

/** A shell command of the user's; green is exit code 0. */
export function guardrail(spec: Guardrail, options: CommandOptions, logFor: LogFor): Check {
  return {
    name: spec.command,
    ofTree: true,
    async run(work, signal) {
      const { exit, failure, output, head, log } = await runCommand(spec, options, logFor, work, signal)
      const count = output === null ? null : countTests(output)
      const counted = count !== 0 && { count }
      if (failure === null)
        return { finding: { check: spec.command, verdict: 'pass', note: '', log, ...counted }, exit }
      const excerpt = truncate(head, options.truncateAt)
      const note = failureMessage({
        command: spec.command,
        failure,
        hint: spec.hint,
        logFile: log,
        output: excerpt,
      })
      return {
        finding: { check: spec.command, verdict: 'fail', note, log, action: spec.failAction, ...counted },
        exit,
      }
    },
  }
}
