import type { RunEvent, TodoItem } from '../../../src/core/events.ts'
import { type Key, keysIn } from '../../../src/view/screens/keys/key-names.ts'
import { reduce } from '../../../src/view/screens/keys/reduce.ts'
import type { Size } from '../../../src/view/screens/layout.ts'
import type { Model, OverviewRow, RunModel } from '../../../src/view/screens/model.ts'
import { rowOf } from '../../../src/view/screens/rows.ts'
import { type RunFacts, runFold, type ShownWorkflow } from '../../../src/view/screens/run-facts.ts'
import { screenLines } from '../../../src/view/screens/screen.ts'
import { type Effect, firstUi, type UiState } from '../../../src/view/screens/ui-state.ts'
import { screenStyle } from '../../../src/view/style.ts'
import { buildTable } from '../../../src/workflows/build/table.ts'

export const SMALL: Size = { columns: 80, rows: 24 }
export const LARGE: Size = { columns: 160, rows: 45 }

const PLAIN = screenStyle(false)

const BUILD: ShownWorkflow = {
  command: 'build',
  listed: true,
  table: buildTable(),
  subject: 'A shop',
  criteriaOf: () => [],
}

/** The facts of a journal that was written by hand. */
export function factsOf(events: readonly RunEvent[], workflow: ShownWorkflow = BUILD): RunFacts {
  const fold = runFold(() => workflow)
  for (const event of events) fold.onEvent(event)
  return fold.facts()!
}

export const rowWith = (facts: RunFacts, row: Partial<OverviewRow> = {}): OverviewRow => ({
  ...rowOf(facts, { worker: null, isAtWork: true, now: facts.lastEvent.at }),
  ...row,
})

export function runWith(facts: RunFacts, run: Partial<RunModel> = {}): RunModel {
  return {
    row: rowWith(facts),
    facts,
    items: facts.items,
    output: { lines: [], dropped: 0 },
    live: '',
    checks: [],
    log: null,
    folderOf: () => '/session/iter-001',
    editable: null,
    auth: null,
    model: null,
    contextUse: null,
    goOn: null,
    ...run,
  }
}

export const modelWith = (model: Partial<Model> = {}): Model => ({
  now: Date.UTC(2026, 2, 1, 22, 30),
  rows: [],
  loading: 0,
  run: null,
  morning: null,
  quitHint: 'q leaves',
  ...model,
})

/** A person in front of a screen that shows this. */
export function openScreen(model: Model, { size = SMALL }: { size?: Size } = {}) {
  let ui: UiState = firstUi(model.run?.row.id ?? null)
  const effects: Effect[] = []
  const press = (key: Key) => {
    const reduced = reduce(ui, key, model, size)
    ui = reduced.ui
    effects.push(...reduced.effects)
  }
  return {
    effects,
    ui: () => ui,
    /** Keys as the terminal sends them. */
    type(typed: string) {
      for (const key of keysIn(typed)) press(key)
    },
    lines: (style = PLAIN) => screenLines(model, ui, size, style),
    text: () =>
      screenLines(model, ui, size, PLAIN)
        .map(line => line.trimEnd())
        .join('\n'),
  }
}

export const item = (id: string, content: string, more: Partial<TodoItem> = {}): TodoItem => ({
  id,
  content,
  status: 'pending',
  activeForm: content,
  ...more,
})
