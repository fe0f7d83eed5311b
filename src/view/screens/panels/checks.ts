import type { CheckRow } from '../model.ts'
import type { RunFacts } from '../run-facts.ts'

/** The checks whose logs are in the folder of a step, while they run: nobody has said yet how they end. */
export const runningChecks = (folder: string, files: readonly string[]): CheckRow[] =>
  files.flatMap(name => {
    const [, slug] = /^(?:guardrail|criterion)_\d+_(.+)\.log$/.exec(name) ?? []
    if (slug === undefined) return []
    return { check: slug.replaceAll('_', ' '), state: 'running', note: '', log: `${folder}/${name}` } as const
  })

/** The checks of the latest iteration that has any. */
export function lastChecks({ iterations }: Pick<RunFacts, 'iterations'>): CheckRow[] {
  const last = iterations.findLast(iteration => iteration.checks.length > 0)
  return (last?.checks ?? []).map(({ check, verdict, note, log }) => ({ check, state: verdict, note, log }))
}
