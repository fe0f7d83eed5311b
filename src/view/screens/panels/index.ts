import type { Task } from '../../../core/task.ts'
import type { Iteration } from '../../report/iterations.ts'
import type { Style } from '../../style.ts'
import { type Pane, tall } from '../layout.ts'
import type { CheckRow, RunModel } from '../model.ts'
import type { UiState } from '../ui-state.ts'
import { agentPanel } from './agent-panel.ts'
import { checkPanel } from './check-panel.ts'
import { iterationDetail, taskDetail } from './detail.ts'
import { iterationPanel } from './iteration-panel.ts'
import { lanePanel, laneTasks } from './lanes.ts'
import { panelTasks, taskPanel } from './task-panel.ts'

type Opened = Pick<UiState, 'panel' | 'entry' | 'detail'>

/** How many entries the open panel has to choose from. */
export function entryCount(run: RunModel, panel: UiState['panel']): number {
  switch (panel) {
    case 'list':
      return run.items.length
    case 'lanes':
      return laneTasks(run.facts).length
    case 'checks':
      return run.checks.length
    case 'iterations':
      return run.facts.iterations.length
    case 'output':
    case 'agents':
      return 0
    default:
      return panel satisfies never
  }
}

/** The task that is selected. Null if none is, or if the run's list does not have it yet. */
export function selectedTask({ facts, items }: RunModel, { panel, entry }: Opened): Task | null {
  if (panel === 'lanes') return laneTasks(facts)[entry] ?? null
  if (panel !== 'list') return null
  const id = panelTasks({ items })[entry]?.id
  return facts.tasks.find(task => task.id === id) ?? null
}

export const selectedIteration = ({ facts }: RunModel, { panel, entry }: Opened): Iteration | null =>
  panel === 'iterations' ? (facts.iterations[entry] ?? null) : null

export const selectedCheck = (
  { checks }: Pick<RunModel, 'checks'>,
  { panel, entry }: Opened,
): CheckRow | null => (panel === 'checks' ? (checks[entry] ?? null) : null)

/** All lines about the selected entry. */
export function detailLines(run: RunModel, ui: Opened, columns: number, style: Style): string[] {
  const task = selectedTask(run, ui)
  if (task) return taskDetail(run.facts, task, columns, style)
  const iteration = selectedIteration(run, ui)
  return iteration ? iterationDetail(iteration, run.folderOf(iteration.step), columns, style) : []
}

/** Any panel but the output. */
export function panelLines(run: RunModel, ui: Opened, now: number, pane: Pane): string[] {
  const { columns, rows, style } = pane
  if (ui.detail !== null) return tall(detailLines(run, ui, columns, style).slice(ui.detail), rows)
  switch (ui.panel) {
    case 'lanes':
      return lanePanel(run.facts, ui.entry, pane)
    case 'agents':
      return agentPanel(run, now, pane)
    case 'checks':
      return checkPanel(run, ui.entry, pane)
    case 'iterations':
      return iterationPanel(run.facts, ui.entry, pane)
    default:
      return taskPanel(run, ui, pane)
  }
}
