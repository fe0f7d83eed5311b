import { onOneLine } from '../../../core/format.ts'
import { isObject } from '../../../core/json.ts'
import { findCycle, isId, LONGEST_ID, type TaskId } from '../../../core/task.ts'
import { isAbsent, TODO_STATUSES } from '../../../core/todo.ts'
import { type CheckedList, type Detail, parentOf } from './planned.ts'
import { todoNumber } from './todo-edits.ts'

/** How to read a list: the names of its fields, and what it may contain. */
export type CheckListOptions = {
  /** No task was worked on yet: everything is pending, and there are no bug fixes. */
  isNew: boolean
  /** The file and line of the item at this index, as the beginning of a message. */
  locate?(index: number): string
  /** The names of these fields in the list's format. */
  fields?: { content: string; blockedBy: string }
}

type Item = CheckedList['items'][number]

/** The id of the task that plans the others. */
export const PLAN = 'plan'

/** The limit for an agent's list; people may write longer texts in their own files. */
const LONGEST_CONTENT = 500
const MOST_CYCLES = 5

/** Reads parsed items as a list of tasks. Each error names the item, the problem and the solution. */
export function checkList(
  entries: readonly unknown[],
  options: CheckListOptions,
): CheckedList | { errors: string[] } {
  if (entries.length === 0) return { errors: ['the list is empty; name at least one task'] }
  const errors: string[] = []
  const values = entries.map(fieldsOf)
  const ids = assignIds(values)
  const known = new Set(ids)
  const before = new Set<TaskId>()
  const items: Item[] = []
  const readable: Item[] = []
  const details: [TaskId, Detail][] = []
  let index = 0
  const report = (what: string) =>
    errors.push(`${options.locate?.(index) ?? ''}${nameOf(values[index]!, index)}: ${what}`)
  for (; index < values.length; index++) {
    const value = values[index]!
    const id = ids[index]!
    if (value === NO_OBJECT) {
      report('it is not an object; write it as { "id", "content", "status", "activeForm", "blockedBy" }')
      continue
    }
    const errorsBefore = errors.length
    checkId(value.id, before, options, report)
    const item = readItem(value, id, options, report)
    // If two items have the same id, only the first counts as a blocker.
    if (!before.has(id)) readable.push(item)
    checkBlockers(item, known, options, report)
    const detail = readDetail(value, report)
    before.add(id)
    if (errors.length > errorsBefore) continue
    items.push(item)
    if (detail !== null) details.push([id, detail])
  }
  errors.push(...cycleErrors(readable, ids, options))
  return errors.length > 0 ? { errors } : { items, details: Object.fromEntries(details) }
}

type Fields = Record<string, unknown>
type Report = (what: string) => void

const NO_OBJECT: Fields = {}

const fieldsOf = (entry: unknown): Fields => (isObject(entry) ? entry : NO_OBJECT)

const nameOf = ({ id }: Fields, index: number): string =>
  typeof id === 'string' && isId(id) ? `task ${id}` : `item ${index + 1}`

/** Items without an id get the next numbers, in their order. */
function assignIds(values: readonly Fields[]): TaskId[] {
  const named = values.map(({ id }) => id).filter(id => typeof id === 'string')
  let last = 0
  for (const id of named) last = Math.max(last, todoNumber(id))
  return values.map(({ id }) => (typeof id === 'string' ? id : `#${++last}`))
}

function checkId(
  id: unknown,
  before: ReadonlySet<TaskId>,
  { isNew }: CheckListOptions,
  report: Report,
): void {
  if (typeof id !== 'string' && isAbsent(id)) return
  if (typeof id !== 'string' || !isId(id))
    report(`id must be a string of 1 to ${LONGEST_ID} characters without spaces; use "#1", "#2", "#3" …`)
  else if (id === PLAN || (isNew && parentOf(id) !== null))
    report('its id is reserved for ralph; use "#1", "#2", "#3" …')
  else if (before.has(id)) report('its id is used more than once; give every task an id of its own')
}

function readItem(value: Fields, id: TaskId, { isNew, fields }: CheckListOptions, report: Report): Item {
  const { content, status, activeForm, blockedBy } = value
  const text = typeof content === 'string' ? onOneLine(content) : ''
  const fieldName = fields?.content ?? 'content'
  if (text === '') report(`${fieldName} must be a string that is not empty; write in it what to do`)
  else if (isNew && text.length > LONGEST_CONTENT)
    report(
      `${fieldName} is ${text.length} characters long; use fewer than 80, and put the rest into "description"`,
    )
  if (isNew && status !== 'pending' && !isAbsent(status))
    report('status must be "pending"; in a new list no task is started or done')
  else if (!TODO_STATUSES.includes(status) && !isAbsent(status))
    report('status must be "pending", "in_progress" or "completed"')
  if (typeof activeForm !== 'string' && !isAbsent(activeForm))
    report('activeForm must be a string, such as "Implementing the endpoint"')
  const areNamed = areStrings(blockedBy)
  if (!areNamed && !isAbsent(blockedBy))
    report(
      `${fields?.blockedBy ?? 'blockedBy'} must be an array of ids; leave it out if nothing blocks the task`,
    )
  const item: Item = {
    id,
    content: text,
    // A task that an earlier build had started is not in progress now.
    status: status === 'completed' ? 'completed' : 'pending',
    activeForm: (typeof activeForm === 'string' && onOneLine(activeForm)) || text,
  }
  if (areNamed && blockedBy.length > 0) item.blockedBy = [...new Set(blockedBy)]
  return item
}

function checkBlockers(
  item: Item,
  known: ReadonlySet<TaskId>,
  { fields }: CheckListOptions,
  report: Report,
): void {
  if (item.blockedBy === undefined) return
  const fieldName = fields?.blockedBy ?? 'blockedBy'
  for (const blocker of item.blockedBy) {
    if (known.has(blocker) && blocker !== item.id) continue
    const quoted = JSON.stringify(blocker.slice(0, LONGEST_ID))
    if (blocker === item.id) report(`${fieldName} names the task itself; remove ${quoted}`)
    else
      report(`${fieldName} names ${quoted}, which is not in the list; name ids of other tasks, or remove it`)
  }
}

function readDetail({ description, acceptanceCriteria: criteria }: Fields, report: Report): Detail | null {
  if (description === undefined && criteria === undefined) return null
  if (!isAbsent(description) && typeof description !== 'string') report('description must be a string')
  if (!isAbsent(criteria) && !areStrings(criteria)) report('acceptanceCriteria must be an array of strings')
  const text = typeof description === 'string' ? description.trim() : ''
  const kept = areStrings(criteria) ? criteria.map(onOneLine).filter(text => text !== '') : []
  if (text === '' && kept.length === 0) return null
  return { ...(text !== '' && { description: text }), ...(kept.length > 0 && { acceptanceCriteria: kept }) }
}

/** Reports the first few cycles. Each one is broken at its last link, so that the search finds the next. */
function cycleErrors(
  items: readonly Item[],
  ids: readonly TaskId[],
  { locate, fields }: CheckListOptions,
): string[] {
  const tasks = items.map(({ id, content, blockedBy = [] }) => ({
    id,
    title: content,
    // A task that blocks itself was already reported.
    blockedBy: blockedBy.filter(blocker => blocker !== id),
  }))
  const errors: string[] = []
  while (errors.length < MOST_CYCLES) {
    const cycle = findCycle(tasks)
    if (cycle === null) break
    const first = cycle[0]!
    const closing = tasks.find(({ id }) => id === cycle.at(-2))!
    const path = cycle.length > 12 ? [...cycle.slice(0, 6), '…', ...cycle.slice(-5)] : cycle
    const fieldName = fields?.blockedBy ?? 'blockedBy'
    const where = locate?.(ids.indexOf(first)) ?? ''
    errors.push(
      `${where}task ${first}: it waits for itself (${path.join(' → ')}); remove one of them from ${fieldName}`,
    )
    closing.blockedBy = closing.blockedBy.filter(id => id !== first)
  }
  return errors
}

const areStrings = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every(entry => typeof entry === 'string')
