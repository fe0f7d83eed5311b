import type { TodoItem } from '../core/events.ts'

/** One row of the task list. `below`: a bug fix, shown under its task. */
export type TaskRow = { item: TodoItem; below: boolean }

/** The list with every bug fix after its task, in the order of their numbers. */
export function groupTasks(items: readonly TodoItem[]): TaskRow[] {
  // A shortcut: most lists have none, and lists can be long.
  if (!items.some(item => item.id?.includes('-bug-'))) return items.map(item => ({ item, below: false }))
  const ids = new Set(items.map(item => item.id))
  const fixes = new Map<string, { item: TodoItem; number: number }[]>()
  const isBelow = (item: TodoItem): boolean => {
    const [, parent, number] = /^(.+)-bug-(\d+)$/.exec(item.id ?? '') ?? []
    // Without its task in the list, a bug fix is shown like a task. So is one that fixes a bug fix.
    if (parent === undefined || !ids.has(parent) || /-bug-\d+$/.test(parent)) return false
    const siblings = fixes.get(parent)
    if (siblings) siblings.push({ item, number: Number(number) })
    else fixes.set(parent, [{ item, number: Number(number) }])
    return true
  }
  const tops = items.filter(item => !isBelow(item))
  const rows: TaskRow[] = []
  for (const item of tops) {
    rows.push({ item, below: false })
    const own = fixes.get(item.id ?? '') ?? []
    for (const fix of own.sort((a, b) => a.number - b.number)) rows.push({ item: fix.item, below: true })
    fixes.delete(item.id ?? '')
  }
  return rows
}

/** The rows around the active one. If some are left out, two of the `most` lines are kept free to say so. */
export function visibleRows(
  rows: readonly TaskRow[],
  most: number,
): { rows: readonly TaskRow[]; above: readonly TaskRow[]; under: readonly TaskRow[] } {
  if (rows.length <= most) return { rows, above: [], under: [] }
  const room = Math.max(most - 2, 1)
  const anchor = anchorOf(rows)
  const from = Math.min(Math.max(anchor - Math.floor(room / 3), 0), rows.length - room)
  return { rows: rows.slice(from, from + room), above: rows.slice(0, from), under: rows.slice(from + room) }
}

/** The active row, otherwise the next one, otherwise the last one. */
function anchorOf(rows: readonly TaskRow[]): number {
  const active = rows.findIndex(({ item }) => item.status === 'in_progress')
  if (active >= 0) return active
  const next = rows.findIndex(({ item }) => item.status === 'pending' && !item.blockedBy?.length)
  return next >= 0 ? next : rows.length - 1
}
