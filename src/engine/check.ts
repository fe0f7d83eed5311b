import type { Finding } from '../core/events.ts'
import type { Check, CheckWork, Ports } from '../core/ports.ts'
import type { Signals } from './run.ts'

type Need = Pick<Ports, 'emit' | 'clock' | 'checksAtOnce'>

/** Runs checks, up to `checksAtOnce` side by side. Findings keep the order of the checks; null after a signal. */
export async function runChecks(
  ports: Need,
  checks: Check[],
  work: CheckWork | null,
  redBefore: readonly string[],
  signals: Signals,
): Promise<Finding[] | null> {
  const findings: Finding[] = []
  let next = 0
  const runNext = async () => {
    while (next < checks.length && !signals.soft.aborted) {
      const index = next++
      findings[index] = await runCheck(ports, checks[index]!, work, redBefore, signals.hard)
    }
  }
  await Promise.all(Array.from({ length: Math.min(ports.checksAtOnce, checks.length) }, runNext))
  return signals.hard.aborted || next < checks.length ? null : findings
}

async function runCheck(
  ports: Need,
  check: Check,
  work: CheckWork | null,
  redBefore: readonly string[],
  hard: AbortSignal,
): Promise<Finding> {
  const id = work?.step.id ?? null
  const { clock } = ports
  const began = clock.elapsed()
  ports.emit({ type: 'checking', at: clock.now(), id, check: check.name })
  const { finding, exit } = await check.run(work, hard)
  const ms = clock.elapsed() - began
  if (!hard.aborted) ports.emit({ type: 'checked', at: clock.now(), id, finding, ms, exit })
  return finding.verdict === 'fail' && redBefore.includes(check.name)
    ? { ...finding, note: `${finding.note}\nIt was already red before the run.` }
    : finding
}
