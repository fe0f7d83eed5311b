import type { Settled } from '../core/events.ts'
import type { LoopEnding } from '../engine/run.ts'
import type { Active } from '../workflows/workflow.ts'
import type { HostOptions } from './host.ts'

/**
 * The exit code of a run that this process hosted: 0 the condition was reached, 1 it was not, 130 interrupted. `last`: the
 * iteration that was settled last.
 */
export function runExitCode(
  ending: LoopEnding,
  { workflow, spec, limits }: Pick<HostOptions, 'workflow' | 'spec' | 'limits'>,
  active: Active,
  last: Settled | null,
): 0 | 1 | 130 {
  if (ending.type === 'stopped') {
    if (ending.interrupted) return 130
    return active.stoppedAsPlanned?.() ? 0 : 1
  }
  if (spec.once) return endedGreen(last) ? 0 : 1
  if (ending.result === 'complete') return 0
  // With nothing to reach, using all iterations is what was asked.
  const hasCondition = workflow.describe(spec, limits).condition !== null
  return ending.result === 'exhausted' && !hasCondition ? 0 : 1
}

const endedGreen = (last: Settled | null): boolean =>
  last?.end === 'ok' && last.findings.every(f => f.verdict === 'pass')
