import { plain } from '../../text/plain.ts'
import { helpAfter } from '../help.ts'
import type { Size } from '../layout.ts'
import type { Model } from '../model.ts'
import { reportSize, selectedLook, shownLooks } from '../morning-screen.ts'
import { shownRows } from '../overview.ts'
import { type Confirm, type Input, SORTS, type UiState } from '../ui-state.ts'
import type { Key } from './key-names.ts'
import { reduceRun, search } from './reduce-run.ts'
import { moved, only, PLAIN, type Reduced } from './reduced.ts'
import { steeringKey } from './steer.ts'

/** What a key means: it depends on what is open. */
export function reduce(ui: UiState, key: Key, model: Model, size: Size): Reduced {
  const name = 'name' in key ? key.name : ''
  if (name === 'ctrl+c') return { ui, effects: [{ type: 'interrupt' }] }
  if (name === 'ctrl+z') return { ui, effects: [{ type: 'suspend' }] }
  if (name === 'ctrl+l') return { ui, effects: [{ type: 'redraw' }] }
  if (ui.confirm) return confirmed(ui, ui.confirm, name)
  if (ui.input) return typed(ui, ui.input, key, model, size)
  if (ui.help !== null) return only({ ...ui, help: helpAfter(ui.help, name, size) })
  const before = { ...ui, message: '' }
  const steered =
    ui.screen === 'morning' && !['q', '?'].includes(name) ? null : steeringKey(before, name, model)
  if (steered) return steered
  if (ui.screen === 'morning') return reduceMorning(before, name, model, size)
  return ui.screen === 'run' ? reduceRun(before, name, model, size) : onOverview(before, name, model, size)
}

/** Anything but a y is a no. */
function confirmed(ui: UiState, confirm: Confirm, name: string): Reduced {
  if (name !== 'y') return only({ ...ui, confirm: null, message: 'nothing was done' })
  if (confirm.left > 1) return only({ ...ui, confirm: { ...confirm, left: confirm.left - 1 } })
  const { verb, run, about = '' } = confirm
  const next = { ...ui, confirm: null }
  switch (verb) {
    case 'skip':
      return { ui: next, effects: [{ type: 'skip', run, task: about }] }
    case 'approve':
      return { ui: next, effects: [{ type: 'decide', run, story: about, isApproved: true, why: '' }] }
    case 'allow':
      return { ui: next, effects: [{ type: 'allow', run, host: about }] }
    case 'undo':
      return { ui: next, effects: [{ type: 'undo', run }] }
    default:
      return { ui: next, effects: [{ type: 'steer', verb, run }] }
  }
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
  if (kind === 'reject')
    return { ui, effects: [{ type: 'decide', run, story: task ?? '', isApproved: false, why: text }] }
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
    case 'm':
      return only({ ...ui, screen: 'morning', top: null, entry: 0 })
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
  detail: null,
  search: '',
})

/** What a key means in the morning report: j and k select what to look at, PgUp and PgDn turn its pages. */
function reduceMorning(ui: UiState, name: string, model: Model, size: Size): Reduced {
  const { morning } = model
  const look = selectedLook(model, ui)
  switch (name) {
    case 'escape':
    case 'left':
    case 'h':
    case 'm':
      return only({ ...ui, screen: 'overview', top: null, entry: 0 })
    case 'enter':
    case 'right':
    case 'l':
      return only(look ? opened(ui, look.run) : ui)
    case 'd':
      return look ? { ui, effects: [{ type: 'diff', run: look.run }] } : only(ui)
    case 'u':
      return only(
        look
          ? { ...ui, confirm: { verb: 'undo', left: 1, run: look.run, name: look.name } }
          : { ...ui, message: 'there is nothing to undo' },
      )
  }
  if (morning === null) return only(ui)
  const isByLine = ['up', 'down', 'j', 'k'].includes(name)
  if (isByLine)
    return only({ ...ui, entry: moved(name, ui.entry, shownLooks(morning).length, 1) ?? ui.entry })
  const { lines, room } = reportSize(morning, { ...size, rows: size.rows - 1 }, PLAIN)
  return only({ ...ui, top: moved(name, ui.top ?? 0, Math.max(lines - room + 1, 1), room) ?? ui.top })
}
