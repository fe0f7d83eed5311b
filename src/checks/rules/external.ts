import type { CommandRun } from '../../core/verification/finding.ts'
import type { ExternalConfig } from '../../core/verification/method.ts'

/** Why a command fails as a check, or null if it passes. The order and the words are those of the documentation. */
export function externalFailure(config: ExternalConfig, run: CommandRun): string | null {
  const {
    success_exit_code: expected,
    output_contains: wanted,
    output_not_contains: forbidden,
    timeout,
  } = config
  if (run.ms > timeout * 1000) return `Command timed out after ${timeout}s`
  if (run.cutOff || run.exit.code === null) return `Command failed: it ${run.failure ?? 'was ended'}`
  if (run.exit.code !== expected) {
    const hint = run.exit.code === 127 ? ' (command not found)' : ''
    return `Command exited with ${run.exit.code}${hint}, expected ${expected}`
  }
  if (!wanted && !forbidden) return null
  if (run.output === null) return 'Output is too long to be searched'
  if (wanted && !run.output.includes(wanted)) return `Output doesn't contain: ${wanted}`
  if (forbidden && run.output.includes(forbidden)) return `Output contains forbidden: ${forbidden}`
  return null
}
