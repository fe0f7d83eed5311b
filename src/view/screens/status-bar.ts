import { formatCount, formatDuration, formatUsd } from '../../core/format.ts'
import type { Phase } from '../report/phase.ts'
import type { Style } from '../style.ts'
import { plainLine } from '../text/plain.ts'
import { cutTo, widthOf } from '../text/width.ts'
import { elapsedText } from '../time.ts'
import { ends } from './layout.ts'
import type { RunModel } from './model.ts'

/** Two lines about a run: which one and what it does; where it is, and what it costs. */
export function statusBar(run: RunModel, now: number, columns: number, style: Style): string[] {
  const { row, facts } = run
  const { colors } = style
  const subject = plainLine(facts.workflow.subject)
  const title = ` ${colors.bold(`${plainLine(facts.workflow.command)} · ${plainLine(row.name)}`)}${subject === '' ? '' : ` · ${subject}`}`
  const phase = ` ${paintPhase(row.phase, style)(row.status)} `
  return [ends(title, phase, columns), fitted(factsOf(run, now), columns)]
}

function paintPhase(phase: Phase, { colors }: Style): (text: string) => string {
  switch (phase) {
    case 'running':
      return colors.green
    case 'finished':
      return colors.bold
    case 'crashed':
      return colors.red
    default:
      return colors.yellow
  }
}

/** From what matters most to what may be left out. */
function factsOf({ row, facts, auth, model, contextUse }: RunModel, now: number): string[] {
  const { state, spent, workflow } = facts
  const { limits } = state
  const [step] = Object.values(state.flight)
  const n = step?.n ?? state.n
  const iteration = `iteration ${n}${limits.iterations === null ? '' : `/${limits.iterations}`}`
  const stage = step && (workflow.table.stages[step.stage]?.title ?? step.stage)
  const isChecked = step?.ended !== undefined
  const ms = Math.max((row.isAtWork ? now : row.lastAt) - row.began, 0)
  const used = spent.tokens === null ? 0 : spent.tokens.input + spent.tokens.output
  const share =
    spent.tokens === null || spent.tokens.input === 0 ? 0 : spent.tokens.cached / spent.tokens.input
  const budget = limits.usd === null ? '' : ` of ${formatUsd(limits.usd)}`
  return [
    iteration,
    workflow.listed && step && plainLine(step.task, 30),
    isChecked ? 'checks' : workflow.listed && stage,
    `${elapsedText(ms)}${limits.ms === null ? '' : ` of ${formatDuration(limits.ms)}`}`,
    spent.usd === null
      ? budget && `cost unknown${budget}`
      : `${formatUsd(spent.usd, spent.estimated)}${budget}`,
    used > 0 && `${formatCount(used)} tokens, ${Math.round(share * 100)}% cached`,
    contextUse !== null && `context ${Math.round(contextUse * 100)}%`,
    [facts.agent && plainLine(facts.agent), model && plainLine(model, 30)].filter(Boolean).join(' '),
    auth !== null && plainLine(auth, 20),
  ].filter((fact): fact is string => typeof fact === 'string' && fact !== '')
}

/** As many facts as fit. */
function fitted(facts: readonly string[], columns: number): string {
  let line = ` ${facts[0] ?? ''}`
  for (const fact of facts.slice(1)) {
    if (widthOf(line) + widthOf(fact) + 3 > columns) break
    line += ` · ${fact}`
  }
  return cutTo(line, columns)
}
