import type { Style } from '../../style.ts'
import { fitTo } from '../../text/fit.ts'
import { asCheck, plainLine } from '../../text/plain.ts'
import { cutTo } from '../../text/width.ts'
import { type Pane, rule, tall, windowOf } from '../layout.ts'
import type { CheckRow, RunModel } from '../model.ts'
import type { RunFacts } from '../run-facts.ts'

/** The checks of the latest iteration, and below them the end of the selected one's log. */
export function checkPanel(
  { checks, log }: RunModel,
  entry: number,
  { columns, rows, style }: Pane,
): string[] {
  const { colors } = style
  if (checks.length === 0) return tall([colors.dim(' no check has run yet')], rows)
  const room = Math.min(checks.length, Math.max(Math.floor(rows / 3), 3))
  const { from, to } = windowOf(entry, checks.length, room)
  const lines = checks
    .slice(from, to)
    .map((check, index) => checkLine(check, from + index === entry, columns, style))
  const below = rows - lines.length - 1
  const title = log === null ? 'no log' : `the end of ${plainLine(log.path, 1000)}`
  return tall(
    [
      ...lines,
      rule(columns, style, title),
      ...(log?.lines ?? []).slice(-below).map(line => cutTo(` ${line}`, columns)),
    ],
    rows,
  )
}

function checkLine(check: CheckRow, isSelected: boolean, columns: number, { colors, marks }: Style): string {
  const { state } = check
  const mark =
    state === 'pass' ? marks.pass : state === 'fail' ? marks.fail : state === 'running' ? marks.active : '?'
  const paint = state === 'pass' ? colors.green : state === 'fail' ? colors.red : colors.yellow
  const note = check.note === '' ? '' : `: ${asCheck(plainLine(check.note))}`
  const text = `${plainLine(check.check)}${state === 'running' ? ' runs' : note}`
  const line = fitTo(columns - 1).cut(`${isSelected ? '›' : ' '}${mark} ${text}`)
  return isSelected ? colors.inverse(line) : paint(line)
}

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
