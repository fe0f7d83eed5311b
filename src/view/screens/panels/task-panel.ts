import type { TodoItem } from '../../../core/events.ts'
import { groupTasks, taskRowLine } from '../../task-list.ts'
import { fitTo } from '../../text/fit.ts'
import { type Pane, progressBar, tall, windowOf } from '../layout.ts'
import type { RunModel } from '../model.ts'
import type { UiState } from '../ui-state.ts'

/** The tasks of the panel, in the order in which it shows them. */
export const panelTasks = ({ items }: Pick<RunModel, 'items'>): TodoItem[] =>
  groupTasks(items).map(({ item }) => item)

/**
 * The list as its file has it, so that an edit by hand shows at once. What is done and under way, ralph knows: what an agent
 * wrote into the file about that is a claim.
 */
export function withFile(items: readonly TodoItem[], file: readonly TodoItem[] | null): readonly TodoItem[] {
  if (file === null) return items
  const statuses = new Map(items.map(({ id, status }) => [id, status]))
  return file.map(({ blockedBy = [], ...item }) => {
    const open = blockedBy.filter(id => statuses.get(id) !== 'completed')
    const status = statuses.get(item.id) ?? 'pending'
    return { ...item, status, ...(open.length > 0 && { blockedBy: open }) }
  })
}

type Selecting = Pick<UiState, 'panel' | 'entry'>

/** The list: what is done, active, pending and blocked; a bug fix is under its task. */
export function taskPanel(run: RunModel, ui: Selecting, { columns, rows, style }: Pane): string[] {
  const { facts, items } = run
  const { colors } = style
  const done = items.filter(item => item.status === 'completed').length
  if (items.length === 0) return tall([colors.dim(' no tasks yet')], rows)
  const grouped = groupTasks(items)
  const isSelecting = ui.panel === 'list'
  const active = grouped.findIndex(({ item }) => item.status === 'in_progress')
  const next = grouped.findIndex(({ item }) => item.status === 'pending')
  const selected = isSelecting ? ui.entry : Math.max(active, active < 0 ? next : 0, 0)
  const { from, to } = windowOf(selected, grouped.length, rows - 1)
  const fit = fitTo(columns - 1)
  const lines = grouped.slice(from, to).map((row, index) => {
    const line = taskRowLine(row, style, fit, {
      blocked: facts.blocked,
      isVerified: id => facts.state.taskStates[id]?.proof ?? false,
    })
    return isSelecting && from + index === selected ? colors.inverse(`›${line.slice(1)}`) : line
  })
  return [...tall(lines, rows - 1), ` ${progressBar(done, items.length, Math.min(columns - 2, 40))}`]
}
