import type { CheckRow } from '../model.ts'
import type { RunFacts } from '../run-facts.ts'

/** The checks whose logs are in the folder of a step, while they run: nobody has said yet how they end. */
export const runningChecks = (folder: string, files: readonly string[]): CheckRow[] =>
  files.flatMap(name => {
    const [, slug] = /^(?:guardrail|criterion)_\d+_(.+)\.log$/.exec(name) ?? []
    if (slug === undefined) return []
    return { check: slug.replaceAll('_', ' '), state: 'running', note: '', log: `${folder}/${name}` } as const
  })

/** A log's own path: findings name those of the project relative to it. */
export const logPath = ({ began }: Pick<RunFacts, 'began'>, log: string): string =>
  log.startsWith('/') ? log : `${began.project}/${log}`

/** The checks of the latest iteration that has any. */
export function lastChecks(facts: Pick<RunFacts, 'began' | 'iterations'>): CheckRow[] {
  const { iterations } = facts
  const last = iterations.findLast(iteration => iteration.checks.length > 0)
  return (last?.checks ?? []).map(({ check, verdict, note, log }) => ({
    check,
    state: verdict,
    note,
    log: log && logPath(facts, log),
  }))
}
