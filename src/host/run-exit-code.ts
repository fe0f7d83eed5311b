import type { Settled } from '../core/events.ts'
import { exitCode } from '../core/exit-code.ts'
import type { LoopEnding } from '../engine/run.ts'
import type { Active } from '../workflows/workflow.ts'
import type { HostOptions } from './host.ts'

/** The exit code of a run that this process hosted. `last`: the iteration that was settled last. */
export function runExitCode(
  ending: LoopEnding,
  { workflow, spec, limits }: Pick<HostOptions, 'workflow' | 'spec' | 'limits'>,
  active: Active,
  last: Settled | null,
): number {
  if (spec.once && ending.type === 'finished') return endedGreen(last) ? 0 : 1
  if (ending.type === 'stopped' && !ending.interrupted && active.stoppedAsPlanned?.()) return 0
  return exitCode(ending, workflow.describe(spec, limits).condition !== null)
}

const endedGreen = (last: Settled | null): boolean =>
  last?.end === 'ok' && last.findings.every(f => f.verdict === 'pass')
