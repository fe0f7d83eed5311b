import { doneOf } from './done.ts'
import type { TodoItem } from './events.ts'
import { type RunState, type StageTable, stageOf, standing } from './table.ts'
import { isId, LONGEST_ID, type Task, type TaskId, unmet } from './task.ts'

const STATUSES: readonly unknown[] = ['pending', 'in_progress', 'completed'] satisfies TodoItem['status'][]

/** Whether the list shows a task: one that starts at an unlisted stage prepares the list. */
export const isShown = (task: Task, table: StageTable): boolean =>
  table.stages[task.first ?? table.first]?.listed !== false

export const shownTasks = (tasks: readonly Task[], table: StageTable): Task[] =>
  tasks.filter(task => isShown(task, table))

type Projected = {
  tasks: readonly Task[]
  table: StageTable
  flying: readonly TaskId[]
  items: readonly TodoItem[]
}

/** A list is shown and written at the same moments, and can be long: it is made once for them all. */
const projected = new WeakMap<RunState['at'], Projected>()

/** The list that was made last. A step changes a few items of perhaps thousands, and the others stay what they are. */
let latest: { shown: readonly Task[]; items: readonly TodoItem[] } = { shown: [], items: [] }

/** A build's list file, as the truth has it. What was waited for and is done is no longer named. */
export function projectTodo(tasks: readonly Task[], state: RunState, table: StageTable): readonly TodoItem[] {
  const known = projected.get(state.at)
  const flying = Object.values(state.flight).map(step => step.task)
  if (known?.tasks === tasks && known.table === table && areEqual(known.flying, flying)) return known.items
  const done = doneOf(tasks, state)
  const isDone = (id: TaskId) => done.has(id)
  const shown = shownTasks(tasks, table)
  const before = latest
  const items = shown.map((task, place) => {
    const status = isDone(task.id) ? 'completed' : flying.includes(task.id) ? 'in_progress' : 'pending'
    const waitsFor = unmet(task, isDone)
    const last = before.shown[place] === task ? before.items[place]! : null
    return last?.status === status && areEqual(last.blockedBy ?? NONE, waitsFor)
      ? last
      : itemOf(task, status, waitsFor)
  })
  latest = { shown, items }
  projected.set(state.at, { tasks, table, flying, items })
  return items
}

function itemOf(task: Task, status: TodoItem['status'], waitsFor: readonly TaskId[]): TodoItem {
  const item: TodoItem = { id: task.id, content: task.title, status, activeForm: task.active ?? task.title }
  if (waitsFor.length > 0) item.blockedBy = waitsFor
  return item
}

const NONE: readonly TaskId[] = []

const areEqual = (a: readonly TaskId[], b: readonly TaskId[]): boolean =>
  a === b || (a.length === b.length && a.every((id, place) => id === b[place]))

/** Tasks that wait for a person, and why. */
export const heldTasks = (tasks: readonly Task[], state: RunState, table: StageTable): Map<TaskId, string> =>
  new Map(
    tasks
      .filter(task => stageOf(table, state, task) === 'blocked')
      .map(task => [task.id, standing(table, state, task).why]),
  )

const isAbsent = (value: unknown): boolean => value === undefined || value === null

/**
 * Reads parsed JSON as a build's list, or says which item breaks which rule. Fields it does not know are dropped; of a
 * new item the content is enough.
 */
export function readTodo(json: unknown): { items: TodoItem[] } | { errors: string[] } {
  if (!Array.isArray(json)) return { errors: ['tasks.json must be an array.'] }
  const errors: string[] = []
  const items: TodoItem[] = []
  const seen = new Set<string>()
  for (const [place, entry] of json.entries()) {
    const value: Record<string, unknown> = typeof entry === 'object' && entry !== null ? entry : {}
    const { id, content, status, activeForm, blockedBy } = value
    const name = typeof id === 'string' ? `task ${id}` : `item ${place + 1}`
    const wrong = (rule: string) => errors.push(`${name}: ${rule}.`)
    if (id !== undefined && (typeof id !== 'string' || !isId(id)))
      wrong(`id must be a string of 1 to ${LONGEST_ID} characters without spaces`)
    else if (id !== undefined && seen.has(id)) wrong('id is used more than once')
    else if (id !== undefined) seen.add(id)
    if (typeof content !== 'string' || content.trim() === '') wrong('content must be a non-empty string')
    if (!isAbsent(status) && !STATUSES.includes(status))
      wrong('status must be "pending", "in_progress" or "completed"')
    if (!isAbsent(activeForm) && typeof activeForm !== 'string') wrong('activeForm must be a string')
    if (!isAbsent(blockedBy) && !(Array.isArray(blockedBy) && blockedBy.every(b => typeof b === 'string')))
      wrong('blockedBy must be an array of strings')
    items.push({
      ...(id !== undefined && { id }),
      content,
      status: status ?? 'pending',
      activeForm: activeForm ?? content,
      ...(!isAbsent(blockedBy) && { blockedBy }),
    } as TodoItem)
  }
  return errors.length > 0 ? { errors } : { items }
}
