import type { CheckRow } from './model.ts'
import type { RunFacts } from './run-facts.ts'

/** The checks of the latest iteration that has any. */
export function lastChecks({ iterations }: Pick<RunFacts, 'iterations'>): CheckRow[] {
  const last = iterations.findLast(iteration => iteration.checks.length > 0)
  return (last?.checks ?? []).map(({ check, verdict, note, log }) => ({ check, state: verdict, note, log }))
}
