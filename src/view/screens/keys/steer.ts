import type { Model, OverviewRow, RunModel } from '../model.ts'
import { selectedRow } from '../overview.ts'
import { selectedTask } from '../panels/index.ts'
import type { Confirm, Effect, Input, UiState } from '../ui-state.ts'
import { only, type Reduced } from './reduced.ts'

/** Keys that steer a run, the same on every screen. Null for any other key. */
export function steeringKey(ui: UiState, name: string, model: Model): Reduced | null {
  if (name === 'q') return { ui, effects: [{ type: 'quit' }] }
  if (name === '?') return only({ ...ui, help: 0 })
  const row = selectedRow(ui, model)
  if (row === null) return null
  const ask = (confirm: Pick<Confirm, 'verb' | 'left' | 'about'>) =>
    only({ ...ui, confirm: { ...confirm, run: row.id, name: row.name } })
  const act = (effect: Effect): Reduced => ({ ui, effects: [effect] })
  switch (name) {
    case 'p':
      return act({ type: 'steer', verb: 'pause', run: row.id })
    case 'r':
      return act({ type: 'steer', verb: 'resume', run: row.id })
    case 'i':
      return only({ ...ui, input: { kind: 'tell', text: '', run: row.id } })
    case 'x':
      return ask({ verb: 'cancel', left: 1 })
    case 'K':
      return row.isWorker
        ? ask({ verb: 'kill', left: 2 })
        : only({ ...ui, message: 'only a worker can be killed; x cancels this run' })
    case 'c':
      return model.run?.goOn === null
        ? only({ ...ui, message: 'it is at work, or there is nothing to continue' })
        : act({ type: 'copy', text: model.run?.goOn ?? `ralph resume ${row.name}` })
    default:
      return aboutTask(ui, name, row, model.run)
  }
}

/** Keys about a task of the run: the selected one, else the one that waits. */
function aboutTask(ui: UiState, name: string, row: OverviewRow, run: RunModel | null): Reduced | null {
  const say = (message: string) => only({ ...ui, message })
  const needed = (kinds: readonly string[]) =>
    row.needs.find(({ kind, task }) => task !== null && kinds.includes(kind))?.task ?? null
  const selected = run && selectedTask(run, ui)
  const decided = needed(['decision'])
  const open = (input: Omit<Input, 'text' | 'run'>) =>
    only({ ...ui, input: { ...input, text: '', run: row.id } })
  const ask = (verb: Confirm['verb'], about: string) =>
    only({ ...ui, confirm: { verb, left: 1, run: row.id, name: row.name, about } })
  switch (name) {
    case 'a': {
      const task = selected?.id ?? needed(['question', 'blocked', 'decision'])
      return task === null ? say('no task of it waits for an answer') : open({ kind: 'answer', task })
    }
    case 'S':
      return selected ? ask('skip', selected.id) : say('select a task first: 2 opens the list')
    case '+':
      return decided === null ? say('no story of it is left for you') : ask('approve', decided)
    case '-':
      return decided === null
        ? say('no story of it is left for you')
        : open({ kind: 'reject', task: decided })
    case 'H': {
      const [host] = run?.facts.state.sandbox.denied ?? []
      return host === undefined ? say('the sandbox refuses no host') : ask('allow', host)
    }
    case 'e': {
      if (run === null) return null
      if (run.editable === null) return say('it has no list or prompt file to edit')
      return { ui, effects: [{ type: 'edit', path: run.editable }] }
    }
    default:
      return null
  }
}
