import { firstLine, formatDuration } from '../../../core/format.ts'
import type { Style } from '../../style.ts'
import { fitTo } from '../../text/fit.ts'
import { asCheck, plainLine } from '../../text/plain.ts'
import { elapsedText } from '../../time.ts'
import { type Pane, tall } from '../layout.ts'
import type { RunModel } from '../model.ts'
import type { RoleFacts } from '../run-facts.ts'

/** Who works in each role: the CLI, its model, how many tries it has used, and what its last promise was worth. */
export function agentPanel(run: RunModel, now: number, { columns, rows, style }: Pane): string[] {
  const { roles } = run.facts
  const { colors } = style
  if (roles.length === 0) return tall([colors.dim(' no agent has worked yet')], rows)
  return tall(
    roles.flatMap(role => [...roleLines(role, run, now, columns, style), '']),
    rows,
  )
}

function roleLines(role: RoleFacts, run: RunModel, now: number, columns: number, style: Style): string[] {
  const { colors, marks } = style
  const { facts, row } = run
  const fit = fitTo(columns - 1)
  const isAtWork = role.isAtWork && row.isAtWork
  const stage = facts.workflow.table.stages[role.stage]
  const tries = facts.state.taskStates[role.task]?.tries ?? 0
  const most = facts.tasks.find(({ id }) => id === role.task)?.tries?.[role.stage] ?? stage?.tries
  const of = most === undefined || !Number.isFinite(most) ? '' : ` · try ${tries + 1}/${most}`
  const time = isAtWork ? `at work ${elapsedText(now - role.began)}` : 'idle'
  const who = [role.agent, role.model ?? (isAtWork ? run.model : null)]
    .filter(Boolean)
    .map(word => plainLine(word!))
  const limited = facts.state.until[role.agent] ?? 0
  const waits = limited > now ? [` limited for ${formatDuration(limited - now)} more`] : []
  return [
    fit.cut(
      ` ${isAtWork ? marks.active : marks.pending} ${colors.bold(plainLine(role.role))} · ${who.join(' ')} · ${time}`,
    ),
    fit.cut(
      `   ${plainLine(role.task, 40)} · ${stage?.title ?? plainLine(role.stage)} · iteration ${role.n}${of}`,
    ),
    ...waits.map(text => colors.yellow(fit.cut(`  ${text}`))),
    ...(role.last === null ? [] : lastLines(role.last, columns, style)),
  ]
}

/** What its last iteration came to: a promise counts only with what verified it. */
function lastLines(
  { move, note, findings }: NonNullable<RoleFacts['last']>,
  columns: number,
  style: Style,
): string[] {
  const { colors, marks } = style
  const fit = fitTo(columns - 1)
  const first = plainLine(firstLine(note))
  const said = `   last: ${WORDS[move] ?? move}${first === '' ? '' : `: ${asCheck(first)}`}`
  return [
    fit.cut(said),
    ...findings.map(({ check, verdict, claim }) => {
      const mark =
        verdict === 'pass' ? colors.green(marks.pass) : verdict === 'fail' ? colors.red(marks.fail) : '?'
      return fit.cut(`     ${mark} ${plainLine(check)}${claim ? ' (on its word alone)' : ''}`)
    }),
  ]
}

const WORDS: Readonly<Record<string, string>> = {
  pass: 'its promise was verified',
  more: 'it gave no promise',
  fail: 'its promise did not hold',
  reject: 'it sent the work back',
  ask: 'it asked a question',
}
