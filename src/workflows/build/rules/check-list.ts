import type { TodoItem } from '../../../core/events.ts'
import { findCycle, isId, LONGEST_ID, type TaskId } from '../../../core/task.ts'
import { type Detail, oneLine, type Planned, parentOf } from './planned.ts'
import { numberOf } from './todo-edits.ts'

/** How a list is read: what its fields are called there, and what may stand in it. */
export type Reading = {
  /** Nothing of it was worked on yet: everything is pending, and there are no bug fixes. */
  fresh: boolean
  /** Where the item at this index stands, for the beginning of a sentence. */
  place?(index: number): string
  /** What its format calls them. */
  fields?: { content: string; blockedBy: string }
}

type Item = Planned['items'][number]

/** The id of the task that plans the others. */
export const PLAN = 'plan'

/** Of an agent's; what people write in their own files is theirs. */
const LONGEST_CONTENT = 500
const MOST_CYCLES = 5
const STATUSES: readonly unknown[] = ['pending', 'in_progress', 'completed'] satisfies TodoItem['status'][]

/** Reads parsed items as a list of tasks, or says of every wrong one which it is, what is wrong and what to do. */
export function checkList(entries: readonly unknown[], reading: Reading): Planned | { errors: string[] } {
  if (entries.length === 0) return { errors: ['the list is empty; name at least one task'] }
  const errors: string[] = []
  const values = entries.map(fieldsOf)
  const ids = nameAll(values)
  const before = new Set<TaskId>()
  let isInOrder = true
  let known: ReadonlySet<TaskId> | undefined
  /** Most blockers stand before what they block, and then there is no more to find out about a list. */
  const isKnown = (id: TaskId): boolean => {
    if (before.has(id)) return true
    isInOrder = false
    known ??= new Set(ids)
    return known.has(id)
  }
  const items: Item[] = []
  const readable: Item[] = []
  const details: [TaskId, Detail][] = []
  let index = 0
  // One for all: lists can be long, and hardly any item is wrong.
  const wrong = (what: string) =>
    errors.push(`${reading.place?.(index) ?? ''}${nameOf(values[index]!, index)}: ${what}`)
  for (; index < values.length; index++) {
    const value = values[index]!
    const id = ids[index]!
    if (value === NO_OBJECT) {
      wrong('it is no object; write it as { "id", "content", "status", "activeForm", "blockedBy" }')
      continue
    }
    const rightSoFar = errors.length
    checkId(value.id, before, reading, wrong)
    const item = readItem(value, id, reading, wrong)
    // Of two with one id nobody knows which is waited for.
    if (!before.has(id)) readable.push(item)
    checkBlockers(item, isKnown, reading, wrong)
    const detail = readDetail(value, wrong)
    before.add(id)
    if (errors.length > rightSoFar) continue
    items.push(item)
    if (detail !== null) details.push([id, detail])
  }
  if (!isInOrder) errors.push(...cycleErrors(readable, ids, reading))
  return errors.length > 0 ? { errors } : { items, details: Object.fromEntries(details) }
}

type Fields = Record<string, unknown>
type Wrong = (what: string) => void

const NO_OBJECT: Fields = {}

const fieldsOf = (entry: unknown): Fields =>
  typeof entry === 'object' && entry !== null && !Array.isArray(entry) ? (entry as Fields) : NO_OBJECT

const nameOf = ({ id }: Fields, index: number): string =>
  typeof id === 'string' && isId(id) ? `task ${id}` : `item ${index + 1}`

/** Items without an id get the next numbers, in their order. */
function nameAll(values: readonly Fields[]): TaskId[] {
  const named = values.map(({ id }) => id).filter(id => typeof id === 'string')
  if (named.length === values.length) return named
  let last = 0
  for (const id of named) last = Math.max(last, numberOf(id))
  return values.map(({ id }) => (typeof id === 'string' ? id : `#${++last}`))
}

function checkId(id: unknown, before: ReadonlySet<TaskId>, { fresh }: Reading, wrong: Wrong): void {
  if (typeof id !== 'string' && isAbsent(id)) return
  if (typeof id !== 'string' || !isId(id))
    wrong(`id must be a string of 1 to ${LONGEST_ID} characters without spaces; use "#1", "#2", "#3" …`)
  else if (id === PLAN || (fresh && parentOf(id) !== null))
    wrong('its id is kept for ralph; use "#1", "#2", "#3" …')
  else if (before.has(id)) wrong('its id is used more than once; give every task an id of its own')
}

function readItem(value: Fields, id: TaskId, { fresh, fields }: Reading, wrong: Wrong): Item {
  const { content, status, activeForm, blockedBy } = value
  const text = typeof content === 'string' ? oneLine(content) : ''
  const called = fields?.content ?? 'content'
  if (text === '') wrong(`${called} must be a string that is not empty; say in it what is to be done`)
  else if (fresh && text.length > LONGEST_CONTENT)
    wrong(`${called} is ${text.length} characters long; say it in fewer than 80, the rest in "description"`)
  if (fresh && status !== 'pending' && !isAbsent(status))
    wrong('status must be "pending"; no task of a new list is begun or done')
  else if (!STATUSES.includes(status) && !isAbsent(status))
    wrong('status must be "pending", "in_progress" or "completed"')
  if (typeof activeForm !== 'string' && !isAbsent(activeForm))
    wrong('activeForm must be a string, such as "Implementing the endpoint"')
  const areNamed = areStrings(blockedBy)
  if (!areNamed && !isAbsent(blockedBy))
    wrong(`${fields?.blockedBy ?? 'blockedBy'} must be an array of ids; leave it out where nothing blocks`)
  const item: Item = {
    id,
    content: text,
    // What an earlier build had begun is not under way now.
    status: status === 'completed' ? 'completed' : 'pending',
    activeForm: (typeof activeForm === 'string' && oneLine(activeForm)) || text,
  }
  if (areNamed && blockedBy.length > 0)
    item.blockedBy = blockedBy.length === 1 ? blockedBy : [...new Set(blockedBy)]
  return item
}

function checkBlockers(
  item: Item,
  isKnown: (id: TaskId) => boolean,
  { fields }: Reading,
  wrong: Wrong,
): void {
  if (item.blockedBy === undefined) return
  const called = fields?.blockedBy ?? 'blockedBy'
  for (const blocker of item.blockedBy) {
    if (isKnown(blocker) && blocker !== item.id) continue
    const quoted = JSON.stringify(blocker.slice(0, LONGEST_ID))
    if (blocker === item.id) wrong(`${called} names the task itself; take ${quoted} out`)
    else wrong(`${called} names ${quoted}, which is not in the list; name ids of other tasks, or take it out`)
  }
}

function readDetail({ description, acceptanceCriteria: criteria }: Fields, wrong: Wrong): Detail | null {
  if (description === undefined && criteria === undefined) return null
  if (!isAbsent(description) && typeof description !== 'string') wrong('description must be a string')
  if (!isAbsent(criteria) && !areStrings(criteria)) wrong('acceptanceCriteria must be an array of strings')
  const about = typeof description === 'string' ? description.trim() : ''
  const kept = areStrings(criteria) ? criteria.map(oneLine).filter(text => text !== '') : []
  if (about === '' && kept.length === 0) return null
  return { ...(about !== '' && { description: about }), ...(kept.length > 0 && { acceptanceCriteria: kept }) }
}

/** The first few cycles: each is opened where it closes, to find the next. */
function cycleErrors(items: readonly Item[], ids: readonly TaskId[], { place, fields }: Reading): string[] {
  const tasks = items.map(({ id, content, blockedBy = [] }) => ({
    id,
    title: content,
    // Of one that waits for itself alone this was said already.
    blockedBy: blockedBy.filter(blocker => blocker !== id),
  }))
  const errors: string[] = []
  while (errors.length < MOST_CYCLES) {
    const cycle = findCycle(tasks)
    if (cycle === null) break
    const first = cycle[0]!
    const closing = tasks.find(({ id }) => id === cycle.at(-2))!
    const path = cycle.length > 12 ? [...cycle.slice(0, 6), '…', ...cycle.slice(-5)] : cycle
    const called = fields?.blockedBy ?? 'blockedBy'
    const where = place?.(ids.indexOf(first)) ?? ''
    errors.push(
      `${where}task ${first}: it waits for itself (${path.join(' → ')}); take one of them out of ${called}`,
    )
    closing.blockedBy = closing.blockedBy.filter(id => id !== first)
  }
  return errors
}

const isAbsent = (value: unknown): boolean => value === undefined || value === null

const areStrings = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every(entry => typeof entry === 'string')
