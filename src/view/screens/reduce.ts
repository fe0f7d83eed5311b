import { plain } from '../plain.ts'
import type { Key } from './key-names.ts'
import type { Size } from './layout.ts'
import type { Model, OverviewRow } from './model.ts'
import { findLine, topOf } from './output-panel.ts'
import { shownRows } from './overview.ts'
import { outputSize } from './run.ts'
import { panelTasks } from './task-panel.ts'
import { type Confirm, type Effect, type Input, PANELS, SORTS, type UiState } from './ui-state.ts'

/** What a key changes, and what is to be done. */
export type Reduced = { ui: UiState; effects: readonly Effect[] }

const NOTHING: readonly Effect[] = []

/** What a key means: it depends on what is open. */
export function reduce(ui: UiState, key: Key, model: Model, size: Size): Reduced {
  const name = 'name' in key ? key.name : ''
  if (name === 'ctrl+c') return { ui, effects: [{ type: 'interrupt' }] }
  if (name === 'ctrl+z') return { ui, effects: [{ type: 'suspend' }] }
  if (name === 'ctrl+l') return { ui, effects: [{ type: 'redraw' }] }
  if (ui.confirm) return confirmed(ui, ui.confirm, name)
  if (ui.input) return typed(ui, ui.input, key, model, size)
  if (ui.help) return only({ ...ui, help: false })
  const before = { ...ui, message: '' }
  const steered = steer(before, name, model)
  if (steered) return steered
  return ui.screen === 'run' ? onRun(before, name, model, size) : onOverview(before, name, model, size)
}

const only = (ui: UiState): Reduced => ({ ui, effects: NOTHING })

function selectedRow(ui: UiState, model: Model): OverviewRow | null {
  if (ui.screen === 'run') return model.run?.row ?? null
  const shown = shownRows(model.rows, ui)
  return shown.find(row => row.id === ui.row) ?? shown[0] ?? null
}

/** Keys that mean the same on every screen; null: it is not one of them. */
function steer(ui: UiState, name: string, model: Model): Reduced | null {
  if (name === 'q') return { ui, effects: [{ type: 'quit' }] }
  if (name === '?') return only({ ...ui, help: true })
  const row = selectedRow(ui, model)
  if (row === null) return null
  const ask = (confirm: Pick<Confirm, 'verb' | 'left'>) =>
    only({ ...ui, confirm: { ...confirm, run: row.id, name: row.name } })
  switch (name) {
    case 'p':
      return { ui, effects: [{ type: 'steer', verb: 'pause', run: row.id }] }
    case 'r':
      return { ui, effects: [{ type: 'steer', verb: 'resume', run: row.id }] }
    case 'i':
      return only({ ...ui, input: { kind: 'tell', text: '', run: row.id } })
    case 'x':
      return ask({ verb: 'cancel', left: 1 })
    case 'K':
      return row.isWorker
        ? ask({ verb: 'kill', left: 2 })
        : only({ ...ui, message: 'only a worker can be killed; x cancels this run' })
    case 'c':
      return { ui, effects: [{ type: 'copy', text: model.run?.goOn ?? `ralph resume ${row.name}` }] }
    default:
      return null
  }
}

/** Anything but a y is a no. */
function confirmed(ui: UiState, confirm: Confirm, name: string): Reduced {
  if (name !== 'y') return only({ ...ui, confirm: null, message: 'nothing was done' })
  if (confirm.left > 1) return only({ ...ui, confirm: { ...confirm, left: confirm.left - 1 } })
  const { verb, run } = confirm
  return verb === 'skip'
    ? only({ ...ui, confirm: null })
    : { ui: { ...ui, confirm: null }, effects: [{ type: 'steer', verb, run }] }
}

/** A line is being typed. */
function typed(ui: UiState, input: Input, key: Key, model: Model, size: Size): Reduced {
  const write = (text: string) => {
    const next = { ...ui, input: { ...input, text } }
    return only(input.kind === 'filter' ? { ...next, filter: text } : next)
  }
  if ('text' in key) return write(input.text + plain(key.text).replace(/\s*\n\s*/g, ' '))
  switch (key.name) {
    case 'escape':
      return only({ ...ui, input: null, ...(input.kind === 'filter' && { filter: '' }) })
    case 'enter':
      return entered({ ...ui, input: null }, input, model, size)
    case 'backspace':
      return write([...input.text].slice(0, -1).join(''))
    case 'ctrl+u':
      return write('')
    default:
      return [...key.name].length === 1 ? write(input.text + plain(key.name)) : only(ui)
  }
}

function entered(ui: UiState, { kind, text, run, task }: Input, model: Model, size: Size): Reduced {
  if (kind === 'filter') return only({ ...ui, filter: text })
  if (kind === 'search') return only(search({ ...ui, search: text }, model, size, -1, true))
  if (text.trim() === '' || run === undefined) return only({ ...ui, message: 'nothing was sent' })
  return { ui, effects: [{ type: 'tell', run, text, ...(task !== undefined && { task }) }] }
}

function onOverview(ui: UiState, name: string, model: Model, { rows }: Size): Reduced {
  const shown = shownRows(model.rows, ui)
  const at = Math.max(
    shown.findIndex(row => row.id === ui.row),
    0,
  )
  const to = moved(name, at, shown.length, rows - 3)
  if (to !== null) return only({ ...ui, row: shown[to]?.id ?? null })
  switch (name) {
    case 'enter':
    case 'right':
    case 'l': {
      const row = shown[at]
      return row ? only(opened(ui, row.id)) : only(ui)
    }
    case 's':
      return only({ ...ui, sort: SORTS[(SORTS.indexOf(ui.sort) + 1) % SORTS.length]! })
    case '/':
      return only({ ...ui, input: { kind: 'filter', text: ui.filter } })
    case 'escape':
      return only({ ...ui, filter: '' })
    default:
      return only(ui)
  }
}

const opened = (ui: UiState, run: string): UiState => ({
  ...ui,
  screen: 'run',
  run,
  row: run,
  panel: 'output',
  top: null,
  entry: 0,
  detail: false,
  search: '',
})

function onRun(ui: UiState, name: string, model: Model, size: Size): Reduced {
  const tab = name === 'tab' ? 1 : name === 'shift+tab' ? -1 : 0
  if (tab !== 0) {
    const next = (PANELS.indexOf(ui.panel) + tab + PANELS.length) % PANELS.length
    return only({ ...ui, panel: PANELS[next]!, entry: 0, detail: false })
  }
  const numbered = /^[1-9]$/.test(name) ? PANELS[Number(name) - 1] : undefined
  if (numbered) return only({ ...ui, panel: numbered, entry: 0, detail: false })
  switch (name) {
    case 'escape':
    case 'left':
    case 'h':
      if (ui.search !== '') return only({ ...ui, search: '' })
      return only(ui.detail ? { ...ui, detail: false } : { ...ui, screen: 'overview' })
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
      return only(model.run === null ? ui : inPanel(ui, name, model.run, size))
  }
}

function inPanel(ui: UiState, name: string, run: NonNullable<Model['run']>, size: Size): UiState {
  if (ui.panel === 'output') {
    const { rows } = outputSize(run, ui, { ...size, rows: size.rows - 1 })
    const { lines, dropped } = run.output
    const top = topOf(run.output, ui.top, rows)
    const last = topOf(run.output, null, rows)
    const to = moved(name, top - dropped, last - dropped + 1, rows)
    if (to === null) return ui
    const next = to + dropped
    // At the end it follows again.
    return { ...ui, top: next >= last || lines.length <= rows ? null : next }
  }
  const to = moved(name, ui.entry, panelTasks(run).length, size.rows - 6)
  return to === null ? ui : { ...ui, entry: to }
}

/** `n` looks further up, from what was found last; a new search begins at the end. */
function search(ui: UiState, model: Model, size: Size, direction: 1 | -1, isNew = false): UiState {
  if (model.run === null || ui.search === '') return ui
  const { output } = model.run
  const { rows } = outputSize(model.run, ui, { ...size, rows: size.rows - 1 })
  const top = topOf(output, ui.top, rows)
  const end = output.dropped + output.lines.length - 1
  const from = isNew ? end : direction < 0 ? top - 1 : top + 1
  const found = findLine(output, ui.search, from, direction)
  return found === null
    ? {
        ...ui,
        message: `"${ui.search}" is not ${isNew ? 'in' : direction < 0 ? 'above in' : 'below in'} the output`,
      }
    : { ...ui, top: Math.min(found, topOf(output, null, rows)) }
}

/** Where a key moves to in a list; null: it does not move. */
function moved(name: string, at: number, count: number, page: number): number | null {
  const last = Math.max(count - 1, 0)
  const to = (place: number) => Math.min(Math.max(place, 0), last)
  switch (name) {
    case 'up':
    case 'k':
      return to(at - 1)
    case 'down':
    case 'j':
      return to(at + 1)
    case 'pageup':
    case 'ctrl+b':
      return to(at - page)
    case 'pagedown':
    case 'ctrl+f':
    case ' ':
      return to(at + page)
    case 'home':
    case 'g':
      return 0
    case 'end':
    case 'G':
      return last
    default:
      return null
  }
}
