import type { Phase } from '../report/ending.ts'
import type { Style } from '../style.ts'
import { plainLine } from '../text/plain.ts'
import { cutTo, endTo } from '../text/width.ts'
import { helpLines } from './help.ts'
import { ends, type Size, tall } from './layout.ts'
import type { Model } from './model.ts'
import { morningScreen } from './morning-screen.ts'
import { overviewLines, selectedRow } from './overview.ts'
import { runScreen } from './run.ts'
import type { Confirm, Input, UiState } from './ui-state.ts'

/** Below this nothing could be read. */
const LEAST: Size = { columns: 60, rows: 15 }

/** The whole screen: as many lines as the terminal has rows, none wider than it. */
export function screenLines(model: Model, ui: UiState, size: Size, style: Style): string[] {
  if (size.columns < LEAST.columns || size.rows < LEAST.rows) return tooSmall(size)
  if (ui.help !== null) return helpLines(size, style, ui.help)
  const body = { columns: size.columns, rows: size.rows - 1 }
  const lines =
    ui.screen === 'morning'
      ? morningScreen(model, ui, body, style)
      : ui.screen === 'run' && ui.run !== null
        ? model.run === null
          ? tall(['', ` Reading run ${ui.run} …`], body.rows)
          : runScreen(model.run, ui, model.now, body, style)
        : overviewLines(model, ui, body, style)
  return [...tall(lines, body.rows), bottomLine(model, ui, size.columns, style)]
}

function tooSmall({ columns, rows }: Size): string[] {
  const text = `ralph needs ${LEAST.columns}×${LEAST.rows}; this is ${columns}×${rows}`
  return tall([cutTo(text, columns), cutTo('q leaves', columns)], rows)
}

/** What is asked, typed or said; else the keys that are used most. */
function bottomLine(model: Model, ui: UiState, columns: number, { colors }: Style): string {
  if (ui.confirm) return colors.bold(cutTo(` ${plainLine(question(ui.confirm))} [y/N]`, columns))
  if (ui.input) {
    const prompt = PROMPTS[ui.input.kind]
    return ` ${colors.bold(prompt)} ${endTo(`${ui.input.text}█`, columns - prompt.length - 2)}`
  }
  if (ui.message !== '') return cutTo(` ${colors.bold(plainLine(ui.message))}`, columns)
  const hints = [...SCREEN_HINTS[ui.screen](ui), ...steeringHints(model, ui)].join(' · ')
  return colors.dim(ends(` ${hints}`, `  ? keys · ${model.quitHint} `, columns))
}

const SCREEN_HINTS: Readonly<Record<UiState['screen'], (ui: UiState) => readonly string[]>> = {
  morning: () => ['Enter opens', 'd diff', 'u undo', 'PgDn report', 'Esc back'],
  run: ui => PANEL_HINTS[ui.panel],
  overview: () => ['Enter opens', '/ filter', 's sort', 'm morning'],
}

/** The keys that steer the selected run, and do something now. */
function steeringHints(model: Model, ui: UiState): readonly string[] {
  const row = ui.screen === 'morning' ? null : selectedRow(ui, model)
  if (row === null) return []
  return ui.screen === 'run' ? STEERING_HINTS[row.phase] : STEERING_HINTS[row.phase].slice(0, 1)
}

const STEERING_HINTS: Readonly<Record<Phase, readonly string[]>> = {
  running: ['p pause', 'i instruct'],
  waiting: ['r try now', 'i instruct'],
  paused: ['r go on', 'i instruct'],
  stopped: ['r go on'],
  crashed: ['r go on'],
  finished: [],
}

const PANEL_HINTS: Readonly<Record<UiState['panel'], readonly string[]>> = {
  output: ['Tab panel', '^T tasks', '/ search'],
  list: ['Enter opens', 'a answer', 'S skip'],
  lanes: ['Enter opens', 'a answer', 'S skip'],
  agents: ['Tab panel'],
  checks: ['L opens the log'],
  iterations: ['Enter opens', 'P prompt', 'T stream'],
}

const PROMPTS: Readonly<Record<Input['kind'], string>> = {
  filter: 'only runs with:',
  search: 'search:',
  tell: 'instruction:',
  answer: 'answer:',
  reject: 'why it is sent back:',
}

function question({ verb, left, name, about }: Confirm): string {
  if (verb === 'skip') return `Skip ${about}? No agent will work on it.`
  if (verb === 'approve') return `Approve ${about}?`
  if (verb === 'undo') return `Undo all that ${name} changed? It is saved first.`
  if (verb === 'allow') return `Let it reach ${about}?`
  if (verb === 'cancel') return `Cancel ${name} for good? Its changes are kept.`
  return left > 1 ? `Kill ${name} now?` : 'Really? Its agent is stopped in the middle of its work.'
}
