import type { TodoItem } from '../core/events.ts'
import { listPaths } from '../core/format.ts'
import { CANCELLED } from '../core/reopen.ts'
import type { TaskId } from '../core/task.ts'
import type { Style } from './style.ts'
import type { Fit } from './text/fit.ts'
import { asCheck, plainLine } from './text/plain.ts'

/** Tasks that wait for a person, and why. */
type BlockedTasks = ReadonlyMap<TaskId, string>

/** What is known of tasks beside their list. */
type KnownOfTasks = { blocked: BlockedTasks; isVerified(id: TaskId): boolean }

const MOST_BLOCKERS = 5
const NONE: BlockedTasks = new Map()

/** A build's list after a change: what is done, active, pending and blocked, in at most `most` lines. */
export function taskListLines(
  items: readonly TodoItem[],
  style: Style,
  fit: Fit,
  { most, blocked = NONE, isVerified = () => false }: { most: number } & Partial<KnownOfTasks>,
): string[] {
  const { colors, marks } = style
  const row = (row: TaskRow) => taskRowLine(row, style, fit, { blocked, isVerified })
  const { rows, above, under } = visibleRows(groupTasks(items), Math.max(most - 2, 1))
  const more = (hidden: readonly TaskRow[], where: string) =>
    hidden.length > 0 ? [fit.cut(colors.dim(`  … ${countsOf(hidden)} ${where}`))] : []
  return [
    fit.cut(`${marks.todo} Tasks`),
    ...more(above, 'above'),
    ...rows.map(row),
    ...more(under, 'below'),
    fit.cut(`  ${marks.progress} ${progressOf(items)}`),
  ]
}

/** One task in one line, with what it waits for. */
export function taskRowLine(
  { item, below }: TaskRow,
  { colors, marks }: Style,
  fit: Fit,
  { blocked, isVerified }: KnownOfTasks,
): string {
  const indent = below ? '     ' : '  '
  const name = nameOf(item)
  const why = item.id === undefined ? undefined : blocked.get(item.id)
  if (item.status === 'completed') {
    const mark = isVerified(item.id ?? '') ? marks.ok : marks.pass
    return fit.cut(`${indent}${colors.green(mark)} ${colors.dim(name + titleOf(item.content))}`)
  }
  if (item.status === 'in_progress')
    return fit.cut(`${indent}${marks.active} ${colors.bold(name + titleOf(item.activeForm))}`)
  const tail = why === undefined ? blockersOf(item) : waitingOf(plainLine(why, 80))
  const mark = why === undefined ? marks.pending : marks.warn
  return fit.squeeze(`${indent}${mark} ${name}`, titleOf(item.content), tail && colors.yellow(tail))
}

/** The whole list in plain text, with ids and blockers, for summaries and reports. */
export function taskSummary(items: readonly TodoItem[], blocked: BlockedTasks = NONE): string[] {
  const box = { completed: '[x]', in_progress: '[>]', pending: '[ ]' } as const
  const rows = groupTasks(items).map(({ item, below }) => {
    const why = item.id === undefined ? undefined : blocked.get(item.id)
    const tail = item.status === 'completed' ? '' : blockersOf(item, Number.POSITIVE_INFINITY)
    const waits = why === undefined ? '' : waitingOf(plainLine(why))
    return `${below ? '    ' : ''}${box[item.status]} ${nameOf(item)}${titleOf(item.content)}${tail}${waits}`
  })
  return [...rows, progressOf(items)]
}

/** Nobody waits for a task that was given up. */
const waitingOf = (why: string): string =>
  why === CANCELLED ? ` › ${why}` : ` › waits for you: ${asCheck(why)}`

/** A bug fix names the red check as the screen does. */
const titleOf = (text: string): string => plainLine(asCheck(text))

const nameOf = ({ id }: TodoItem): string => (id === undefined ? '' : `${plainLine(id, 40)} `)

/** `› blocked by #1, #2`; of many, only the first few. */
function blockersOf({ blockedBy = [] }: TodoItem, most = MOST_BLOCKERS): string {
  if (blockedBy.length === 0) return ''
  const ids = blockedBy.map(id => plainLine(id, 40))
  return ` › blocked by ${listPaths(ids, most)}`
}

function countsOf(rows: readonly TaskRow[]): string {
  let done = 0
  let active = 0
  for (const { item } of rows)
    if (item.status === 'completed') done++
    else if (item.status === 'in_progress') active++
  const counts = [
    [done, 'done'],
    [active, 'active'],
    [rows.length - done - active, 'pending'],
  ] as const
  return counts.flatMap(([n, word]) => (n > 0 ? `${n} ${word}` : [])).join(', ')
}

function progressOf(items: readonly TodoItem[]): string {
  const done = items.filter(item => item.status === 'completed').length
  const share = items.length === 0 ? 0 : Math.floor((done / items.length) * 100)
  return `Progress: ${done}/${items.length} (${share}%)`
}

/** One row of the task list. `below`: a bug fix, shown under its task. */
type TaskRow = { item: TodoItem; below: boolean }

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
function visibleRows(
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
