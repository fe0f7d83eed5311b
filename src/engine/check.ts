import type { Finding } from '../core/events.ts'
import type { Check, Ports } from '../core/ports.ts'
import type { Step } from '../core/workflow.ts'
import type { Signals } from './run.ts'

/** Runs checks in their order; null if a signal came between or during them. */
export async function runChecks(
  ports: Pick<Ports, 'tell' | 'clock'>,
  checks: Check[],
  step: Step | null,
  redBefore: readonly string[],
  signals: Signals,
): Promise<Finding[] | null> {
  const findings: Finding[] = []
  const id = step?.id ?? null
  for (const check of checks) {
    if (signals.soft.aborted) return null
    const began = ports.clock.now()
    ports.tell({ type: 'checking', at: began, id, check: check.name })
    const { finding, exit } = await check.run(step, signals.hard)
    if (signals.hard.aborted) return null
    const now = ports.clock.now()
    findings.push(
      finding.verdict === 'fail' && redBefore.includes(check.name)
        ? { ...finding, note: `${finding.note}\nIt was already red before the run.` }
        : finding,
    )
    ports.tell({ type: 'checked', at: now, id, finding, ms: now - began, exit })
  }
  return findings
}
