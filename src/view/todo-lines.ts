import type { TodoItem } from '../core/events.ts'
import type { Style } from './style.ts'
import type { Fit } from './text/fit.ts'
import { plainLine } from './text/plain.ts'

/** An agent's own to-do list, and its progress. What it calls completed, nobody has verified. */
export function todoLines(items: readonly TodoItem[], { colors, marks }: Style, fit: Fit): string[] {
  const done = items.filter(item => item.status === 'completed').length
  const share = items.length === 0 ? 0 : Math.round((done / items.length) * 100)
  const rows = items.map(item => {
    const text = plainLine(item.content)
    if (item.status === 'completed') return fit.cut(colors.dim(`  ${marks.pass} ${text}`))
    return item.status === 'in_progress'
      ? fit.squeeze(`  ${marks.active} `, text, ' ← ACTIVE')
      : fit.cut(`  ${marks.pending} ${text}`)
  })
  const progress = `  ${marks.progress} Progress: ${done}/${items.length} (${share}%)`
  return [fit.cut(`${marks.todo} Todo List`), ...rows, fit.cut(progress)]
}
