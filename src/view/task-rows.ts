import type { TodoItem } from '../core/events.ts'

/** An item of the list as it is shown; `below`: a bug fix, under its task. */
export type Row = { item: TodoItem; below: boolean }

/** The list with every bug fix behind its task, in the order of their numbers. */
export function grouped(items: readonly TodoItem[]): Row[] {
  // Most lists have none, and lists can be long.
  if (!items.some(item => item.id?.includes('-bug-'))) return items.map(item => ({ item, below: false }))
  const ids = new Set(items.map(item => item.id))
  const fixes = new Map<string, { item: TodoItem; number: number }[]>()
  const isBelow = (item: TodoItem): boolean => {
    const [, parent, number] = /^(.+)-bug-(\d+)$/.exec(item.id ?? '') ?? []
    // One without its task, or of a bug fix that has lost its own, stands for itself.
    if (parent === undefined || !ids.has(parent) || /-bug-\d+$/.test(parent)) return false
    const known = fixes.get(parent)
    if (known) known.push({ item, number: Number(number) })
    else fixes.set(parent, [{ item, number: Number(number) }])
    return true
  }
  const tops = items.filter(item => !isBelow(item))
  const rows: Row[] = []
  for (const item of tops) {
    rows.push({ item, below: false })
    const own = fixes.get(item.id ?? '') ?? []
    for (const fix of own.sort((a, b) => a.number - b.number)) rows.push({ item: fix.item, below: true })
    fixes.delete(item.id ?? '')
  }
  return rows
}

/** The rows around the active one that fit into `most` lines, two of which tell of the rest where there is one. */
export function windowOf(
  rows: readonly Row[],
  most: number,
): { rows: readonly Row[]; above: readonly Row[]; under: readonly Row[] } {
  if (rows.length <= most) return { rows, above: [], under: [] }
  const room = Math.max(most - 2, 1)
  const anchor = anchorOf(rows)
  const from = Math.min(Math.max(anchor - Math.floor(room / 3), 0), rows.length - room)
  return { rows: rows.slice(from, from + room), above: rows.slice(0, from), under: rows.slice(from + room) }
}

/** What is worked on, else what comes next, else the end. */
function anchorOf(rows: readonly Row[]): number {
  const active = rows.findIndex(({ item }) => item.status === 'in_progress')
  if (active >= 0) return active
  const next = rows.findIndex(({ item }) => item.status === 'pending' && !item.blockedBy?.length)
  return next >= 0 ? next : rows.length - 1
}
