import type { Finding } from '../core/events.ts'
import { asFlaky } from '../core/outcome.ts'
import type { Check, CheckWork, Ports } from '../core/ports.ts'
import type { Workspace } from '../core/workspaces.ts'
import type { Signals } from './run.ts'

/** Names of checks that were red earlier: before the first iteration, and when they last ran on the same tree. */
export type RedChecks = { beforeRun: readonly string[]; onTree: readonly string[] }

type Need = Pick<Ports, 'emit' | 'clock' | 'checksAtOnce'>

/**
 * Runs checks, up to `checksAtOnce` side by side; those that come after green ones only if all others are. Findings keep
 * the order of the checks. Null after a signal.
 */
export async function runChecks(
  ports: Need,
  checks: Check[],
  work: CheckWork | null,
  red: RedChecks,
  signals: Signals,
): Promise<Finding[] | null> {
  const run = (check: Check, hard: AbortSignal) => runCheck(ports, check, work, red, hard)
  const first = await runTogether(
    ports.checksAtOnce,
    checks.filter(check => !check.afterGreen),
    run,
    signals,
  )
  const last = checks.filter(check => check.afterGreen)
  if (!first || last.length === 0 || first.some(({ verdict }) => verdict !== 'pass')) return first
  const then = await runTogether(ports.checksAtOnce, last, run, signals)
  return then && [...first, ...then]
}

async function runTogether(
  most: number,
  checks: readonly Check[],
  run: (check: Check, hard: AbortSignal) => Promise<Finding>,
  signals: Signals,
): Promise<Finding[] | null> {
  if (checks.length === 0) return signals.hard.aborted ? null : []
  const findings: Finding[] = []
  const broken = new AbortController()
  const hard = AbortSignal.any([signals.hard, broken.signal])
  let next = 0
  const runNext = async () => {
    while (next < checks.length && !signals.soft.aborted && !hard.aborted) {
      const index = next++
      findings[index] = await run(checks[index]!, hard)
    }
  }
  const lanes = Array.from({ length: Math.min(most, checks.length) }, () =>
    runNext().catch(error => {
      // The run cannot go on: the other checks are ended, and what they would say counts no longer.
      broken.abort()
      throw error
    }),
  )
  const failed = (await Promise.allSettled(lanes)).find(lane => lane.status === 'rejected')
  if (failed) throw failed.reason
  return signals.hard.aborted || next < checks.length ? null : findings
}

async function runCheck(
  ports: Need,
  check: Check,
  work: CheckWork | null,
  red: RedChecks,
  hard: AbortSignal,
): Promise<Finding> {
  const id = work?.step.id ?? null
  const { clock } = ports
  const began = clock.elapsed()
  ports.emit({ type: 'checking', at: clock.now(), id, check: check.name })
  const { finding: found, exit } = await check.run(work, hard)
  const isFlaky = check.ofTree && found.verdict === 'pass' && red.onTree.includes(check.name)
  const finding = isFlaky ? asFlaky(found) : found
  const ms = clock.elapsed() - began
  if (!hard.aborted) ports.emit({ type: 'checked', at: clock.now(), id, finding, ms, exit })
  return finding.verdict === 'fail' && red.beforeRun.includes(check.name)
    ? { ...finding, note: `${finding.note}\nIt was already red before the run.` }
    : finding
}

/** What is looked at; a folder may be opened anew between two looks. */
type Place = Pick<Workspace, 'dir' | 'fingerprint'>

/** Tells whether the files of a workspace changed since it was last looked at. */
export interface Trees {
  /** Its fingerprint now. */
  look(workspace: Place): Promise<string | null>
  /** `checked`: the fingerprint that the journal has of it. It counts until this process has looked. */
  changed(workspace: Place, checked: string | undefined): Promise<boolean>
  /** Its fingerprint when it was last looked at. */
  last(workspace: Place): string | null
}

/** Without fingerprints a workspace counts as changed, so that nothing is called stuck by mistake. */
export function watchTrees(): Trees {
  const seen = new Map<string, string | null>()
  const last = ({ dir }: Place) => seen.get(dir) ?? null
  const look = async (workspace: Place) => {
    const now = await workspace.fingerprint()
    seen.set(workspace.dir, now)
    return now
  }
  return {
    look,
    last,
    async changed(workspace, checked) {
      const before = last(workspace) ?? checked
      const now = await look(workspace)
      return before === undefined || now === null || before !== now
    },
  }
}
