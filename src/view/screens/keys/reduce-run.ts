import type { Size } from '../layout.ts'
import type { Model, RunModel } from '../model.ts'
import { logPath } from '../panels/check-panel.ts'
import { detailLines, entryCount, selectedCheck, selectedIteration, selectedTask } from '../panels/index.ts'
import { findLine, topOf } from '../panels/output-panel.ts'
import { outputSize } from '../run.ts'
import { PANELS, type UiState } from '../ui-state.ts'
import { moved, only, PLAIN, type Reduced } from './reduced.ts'

/** What a key means on the screen of one run, if it does not steer it. */
export function reduceRun(ui: UiState, name: string, model: Model, size: Size): Reduced {
  const panel = panelFor(ui, name)
  // The latest iteration is the last.
  const entry = panel === 'iterations' ? Math.max((model.run?.facts.iterations.length ?? 0) - 1, 0) : 0
  if (panel) return only({ ...ui, panel, entry, detail: null })
  switch (name) {
    case 'escape':
    case 'left':
    case 'h':
      return only(back(ui))
    case 'ctrl+t':
      return only({ ...ui, hasTasks: !ui.hasTasks })
    case 'f':
      return only({ ...ui, top: null })
    case 'o':
      return only({ ...ui, isUnfolded: !ui.isUnfolded })
    case '/':
      return only({ ...ui, panel: 'output', input: { kind: 'search', text: '' } })
    case 'n':
      return only(search(ui, model, size, -1))
    case 'N':
      return only(search(ui, model, size, 1))
    default:
      return model.run === null ? only(ui) : inPanel(ui, name, model.run, size)
  }
}

function panelFor({ panel }: UiState, name: string): UiState['panel'] | undefined {
  const step = name === 'tab' ? 1 : name === 'shift+tab' ? -1 : 0
  if (step !== 0) return PANELS[(PANELS.indexOf(panel) + step + PANELS.length) % PANELS.length]
  return /^[1-9]$/.test(name) ? PANELS[Number(name) - 1] : undefined
}

function back(ui: UiState): UiState {
  if (ui.detail !== null) return { ...ui, detail: null }
  if (ui.search !== '') return { ...ui, search: '' }
  return ui.panel === 'output' ? { ...ui, screen: 'overview' } : { ...ui, panel: 'output', entry: 0 }
}

function inPanel(ui: UiState, name: string, run: RunModel, size: Size): Reduced {
  const file = fileFor(ui, name, run)
  if (file !== null) return { ui, effects: [{ type: 'view', path: file }] }
  if (ui.panel === 'output') return only(scrolled(ui, name, run, size))
  const page = size.rows - 6
  if (ui.detail !== null) {
    const lines = detailLines(run, ui, size.columns, PLAIN).length
    return only({ ...ui, detail: moved(name, ui.detail, Math.max(lines - page, 1), page) ?? ui.detail })
  }
  const hasDetail = selectedTask(run, ui) !== null || selectedIteration(run, ui) !== null
  if (['enter', 'right', 'l'].includes(name)) return only(hasDetail ? { ...ui, detail: 0 } : ui)
  const to = moved(name, ui.entry, entryCount(run, ui.panel), page)
  return only(to === null ? ui : { ...ui, entry: to })
}

/** The file that a key opens: the prompt or the stream of an iteration, or the log of a check. */
function fileFor(ui: UiState, name: string, run: RunModel): string | null {
  const iteration = selectedIteration(run, ui) ?? run.facts.iterations.at(-1)
  const folder = iteration && run.folderOf(iteration.step)
  if (name === 'P' && folder) return `${folder}/prompt.txt`
  if (name === 'T' && folder) return `${folder}/stream.ndjson`
  if (name !== 'L') return null
  const check = selectedCheck(run, ui)
  if (check) return check.log
  const logs = iteration?.checks.filter(({ log }) => log !== null) ?? []
  const log = (logs.find(({ verdict }) => verdict === 'fail') ?? logs[0])?.log ?? null
  return log && logPath(run.facts, log)
}

function scrolled(ui: UiState, name: string, run: RunModel, size: Size): UiState {
  const { rows } = outputSize(run, ui, { ...size, rows: size.rows - 1 })
  const { lines, dropped } = run.output
  const last = topOf(run.output, null, rows)
  const to = moved(name, topOf(run.output, ui.top, rows) - dropped, last - dropped + 1, rows)
  if (to === null) return ui
  // At the end it follows again.
  return { ...ui, top: to + dropped >= last || lines.length <= rows ? null : to + dropped }
}

/** `n` looks further up, from what was found last; a new search begins at the end. */
export function search(ui: UiState, model: Model, size: Size, direction: 1 | -1, isNew = false): UiState {
  if (model.run === null || ui.search === '') return ui
  const { output } = model.run
  const { rows } = outputSize(model.run, ui, { ...size, rows: size.rows - 1 })
  const top = topOf(output, ui.top, rows)
  const end = output.dropped + output.lines.length - 1
  const found = findLine(output, ui.search, isNew ? end : top + direction, direction)
  const where = isNew ? 'in' : direction < 0 ? 'above in' : 'below in'
  return found === null
    ? { ...ui, message: `"${ui.search}" is not ${where} the output` }
    : { ...ui, top: Math.min(found, topOf(output, null, rows)) }
}
