import type { TodoItem } from './events.ts'
import { type RunState, type StageTable, stageOf, taskStateOf } from './table.ts'
import { isId, isSameList, LONGEST_ID, type Task, type TaskId, unmet } from './task.ts'

/** What the status of an item may be. */
export const TODO_STATUSES: readonly unknown[] = [
  'pending',
  'in_progress',
  'completed',
] satisfies TodoItem['status'][]

/** Whether the list shows a task: one that starts at an unlisted stage prepares the list. */
export const isShown = (task: Task, table: StageTable): boolean =>
  table.stages[task.first ?? table.first]?.listed !== false

export const shownTasks = (tasks: readonly Task[], table: StageTable): Task[] =>
  tasks.filter(task => isShown(task, table))

/** A run's list for its file and for the screen. Blockers that are done are left out. */
export const projectTodo = (
  tasks: readonly Task[],
  state: RunState,
  table: StageTable,
): readonly TodoItem[] => todoProjector(table)(tasks, state)

type Projected = {
  tasks: readonly Task[]
  taskStates: RunState['taskStates']
  done: ReadonlySet<TaskId>
  flying: readonly TaskId[]
  shown: readonly Task[]
  items: readonly TodoItem[]
}

/**
 * The same for one run, step after step. It remembers its last list: a step changes a few items of perhaps thousands,
 * and the others stay the same objects.
 */
export function todoProjector(
  table: StageTable,
): (tasks: readonly Task[], state: RunState) => readonly TodoItem[] {
  let last: Projected | null = null
  return (tasks, { taskStates, flight }) => {
    const before = last
    const isSame = before?.tasks === tasks && before.taskStates === taskStates
    const flying = Object.values(flight).map(step => step.task)
    if (isSame && isSameList(before.flying, flying)) return before.items
    const done = isSame ? before.done : doneOf(tasks, taskStates)
    const isDone = (id: TaskId) => done.has(id)
    const shown = before?.tasks === tasks ? before.shown : shownTasks(tasks, table)
    const items = shown.map((task, index) => {
      const status = isDone(task.id) ? 'completed' : flying.includes(task.id) ? 'in_progress' : 'pending'
      const waitsFor = unmet(task, isDone)
      const known = before?.shown[index] === task ? before.items[index]! : null
      return known?.status === status && isSameList(known.blockedBy ?? NONE, waitsFor)
        ? known
        : itemOf(task, status, waitsFor)
    })
    last = { tasks, taskStates, done, flying, shown, items }
    return items
  }
}

/** The tasks of the list that are done. */
function doneOf(tasks: readonly Task[], taskStates: RunState['taskStates']): ReadonlySet<TaskId> {
  const done = new Set<TaskId>()
  for (const { id } of tasks)
    if (Object.hasOwn(taskStates, id) && taskStates[id]!.stage === 'done') done.add(id)
  return done
}

function itemOf(task: Task, status: TodoItem['status'], waitsFor: readonly TaskId[]): TodoItem {
  const item: TodoItem = { id: task.id, content: task.title, status, activeForm: task.active ?? task.title }
  if (waitsFor.length > 0) item.blockedBy = waitsFor
  return item
}

const NONE: readonly TaskId[] = []

/** Tasks that wait for a person, and why. */
export function blockedTasks(
  tasks: readonly Task[],
  state: RunState,
  table: StageTable,
): Map<TaskId, string> {
  // Mostly there is none, and only a task that was worked on can be one.
  if (!Object.values(state.taskStates).some(({ stage }) => stage === 'blocked')) return new Map()
  const blocked = tasks.filter(task => stageOf(table, state, task) === 'blocked')
  return new Map(blocked.map(task => [task.id, taskStateOf(table, state, task).why]))
}

export const isAbsent = (value: unknown): boolean => value === undefined || value === null

/**
 * Reads parsed JSON as a list, or says which item breaks which rule. Unknown fields are dropped; a new item needs only
 * its content.
 */
export function readTodo(json: unknown): { items: TodoItem[] } | { errors: string[] } {
  if (!Array.isArray(json)) return { errors: ['tasks.json must be an array.'] }
  const errors: string[] = []
  const items: TodoItem[] = []
  const seen = new Set<string>()
  for (const [index, entry] of json.entries()) {
    const value: Record<string, unknown> = typeof entry === 'object' && entry !== null ? entry : {}
    const { id, content, status, activeForm, blockedBy } = value
    const name = typeof id === 'string' ? `task ${id}` : `item ${index + 1}`
    const wrong = (rule: string) => errors.push(`${name}: ${rule}.`)
    if (id !== undefined && (typeof id !== 'string' || !isId(id)))
      wrong(`id must be a string of 1 to ${LONGEST_ID} characters without spaces`)
    else if (id !== undefined && seen.has(id)) wrong('id is used more than once')
    else if (id !== undefined) seen.add(id)
    if (typeof content !== 'string' || content.trim() === '') wrong('content must be a non-empty string')
    if (!isAbsent(status) && !TODO_STATUSES.includes(status))
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
