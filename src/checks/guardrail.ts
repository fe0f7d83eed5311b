import type { Finding } from '../core/events.ts'
import type { Check, CheckWork, Clock, Command } from '../core/ports.ts'
import type { StepId } from '../core/table.ts'
import type { CommandRun } from '../core/verification/finding.ts'
import { runLogged, type StartToFile } from '../runners/logged.ts'
import { logHead, wholeText } from './excerpt.ts'
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

/** What running a command takes. */
export type CommandOptions = {
  cwd: string
  env: Record<string, string>
  truncateAt: number
  start: StartToFile
  clock: Clock
  /** Where it runs if there is a sandbox. */
  confinement: Pick<Command, 'unconfined' | 'online'>
}

/**
 * The log of a step. null stands for the baseline. `open` makes the empty file; `shown` is its name for people and agents.
 */
export type LogFor = (id: StepId | null) => { open(): number; shown: string }

/** Runs a shell command for a check, unless another check of the same pass has run it on this tree. */
export function runCommand(
  { command, timeout }: { command: string; timeout: number },
  options: CommandOptions,
  logFor: LogFor,
  work: CheckWork | null,
  signal: AbortSignal,
): Promise<CommandRun> {
  const key = `${options.cwd}\0${command}`
  const known = work?.runs?.get(key)
  if (known) return known
  const running = start({ command, timeout }, options, logFor(work?.step.id ?? null), work, signal)
  work?.runs?.set(key, running)
  return running
}

async function start(
  { command, timeout }: { command: string; timeout: number },
  { cwd, env, truncateAt, start, clock, confinement }: CommandOptions,
  { open, shown }: ReturnType<LogFor>,
  work: CheckWork | null,
  signal: AbortSignal,
): Promise<CommandRun> {
  // Not the first `sh` on PATH: an agent may be able to put one there.
  const argv = ['/bin/sh', '-c', command]
  const began = clock.elapsed()
  let output: string | null = ''
  let head = ''
  const log = {
    open,
    excerpt: () => '',
    onEnd(fd: number) {
      output = wholeText(fd)
      head = logHead(fd, truncateAt)
    },
    timeout,
    clock,
  }
  const shell = { argv, cwd, env, stdin: '', ...confinement }
  const ran = await runLogged(start, shell, work?.step.id ?? null, log, signal)
  const { exit, failure, isCutOff } = ran
  return { command, exit, failure, cutOff: isCutOff, ms: clock.elapsed() - began, output, head, log: shown }
}
