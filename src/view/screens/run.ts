import { formatCount, formatDuration, formatUsd } from '../../core/format.ts'
import { formatNeed } from '../morning/words.ts'
import type { Phase } from '../report/ending.ts'
import type { Style } from '../style.ts'
import { plainLine } from '../text/plain.ts'
import { cutTo, widthOf } from '../text/width.ts'
import { elapsedText } from '../time.ts'
import { beside, ends, rule, type Size, tall } from './layout.ts'
import type { RunModel } from './model.ts'
import { panelLines } from './panels/index.ts'
import { outputPanel } from './panels/output-panel.ts'
import { taskPanel } from './panels/task-panel.ts'
import { PANELS, type UiState } from './ui-state.ts'

/** From this width on, the tasks are beside the output; below it they are above it. */
const WIDE = 110
const MOST_TASK_ROWS = 9

/** Status bar, rule, live line: what is left is the panels'. */
const OWN_ROWS = 4

/** How many rows and columns the output has, at this size. */
export function outputSize(run: Pick<RunModel, 'items'>, ui: UiState, { columns, rows }: Size): Size {
  const room = rows - OWN_ROWS
  const tasks = taskRows(run, ui, { columns, rows: room })
  if (ui.panel !== 'output' || tasks === 0) return { columns, rows: room }
  return columns >= WIDE
    ? { columns: columns - taskColumns(columns) - 3, rows: room }
    : { columns, rows: room - tasks - 1 }
}

const taskColumns = (columns: number): number => Math.min(Math.floor(columns / 3), 52)

function taskRows(
  { items }: Pick<RunModel, 'items'>,
  { hasTasks }: UiState,
  { columns, rows }: Size,
): number {
  if (!hasTasks || items.length === 0) return 0
  return columns >= WIDE ? rows : Math.min(items.length + 1, MOST_TASK_ROWS, Math.floor(rows / 2))
}

/** One run: its status bar, the open panel, and what is under way. */
export function runScreen(run: RunModel, ui: UiState, now: number, size: Size, style: Style): string[] {
  const { columns, rows } = size
  const room = rows - OWN_ROWS
  const needs = run.row.needs.map(formatNeed).join(' · ')
  const under = needs === '' ? run.live : style.colors.yellow(cutTo(` ${style.marks.warn} ${needs}`, columns))
  const body = { columns, rows: room }
  const lines =
    ui.panel === 'output' ? outputLines(run, ui, body, style) : panelLines(run, ui, now, { ...body, style })
  return [
    ...statusBar(run, now, columns, style),
    rule(columns, style, titleOf(ui)),
    ...tall(lines, room),
    cutTo(under, columns),
  ]
}

/** The panels by their numbers, the open one in brackets. */
function titleOf({ panel, search, top }: UiState): string {
  const panels = PANELS.map((name, at) => (name === panel ? `[${name}]` : `${at + 1} ${name}`)).join(' ')
  const scrolled = panel === 'output' && top !== null && 'scrolled, f follows'
  return [panels, search !== '' && `search: ${plainLine(search, 20)}`, scrolled].filter(Boolean).join(' · ')
}

function outputLines(run: RunModel, ui: UiState, size: Size, style: Style): string[] {
  const output = outputSize(run, ui, { columns: size.columns, rows: size.rows + OWN_ROWS })
  const lines = outputPanel(run.output, ui, output.columns, output.rows, style)
  const tasks = taskRows(run, ui, size)
  if (tasks === 0) return lines
  if (size.columns < WIDE)
    return [...taskPanel(run, ui, { ...size, rows: tasks, style }), rule(size.columns, style), ...lines]
  const width = taskColumns(size.columns)
  const list = taskPanel(run, ui, { ...size, columns: width, style })
  return beside(lines, list, output.columns, style.colors.dim(' │ '))
}

/** Two lines about a run: which one and what it does; where it is, and what it costs. */
function statusBar(run: RunModel, now: number, columns: number, style: Style): string[] {
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
