import type { TodoItem } from './events.ts'
import { type RunState, type StageTable, stageOf, taskStateOf } from './table.ts'
import { isId, LONGEST_ID, type Task, type TaskId, unmet } from './task.ts'

/** What the status of an item may be. */
export const TODO_STATUSES: readonly unknown[] = [
  'pending',
  'in_progress',
  'completed',
] satisfies TodoItem['status'][]

/** Whether the list shows a task. One that starts at an unlisted stage prepares the list. */
export const isShown = (task: Task, table: StageTable): boolean =>
  table.stages[task.first ?? table.first]?.listed !== false

export const shownTasks = (tasks: readonly Task[], table: StageTable): Task[] =>
  tasks.filter(task => isShown(task, table))

/** A run's list for its file and for the screen. Blockers that are done are left out. */
export function projectTodo(tasks: readonly Task[], state: RunState, table: StageTable): readonly TodoItem[] {
  const done = new Set(tasks.filter(task => stageOf(table, state, task) === 'done').map(({ id }) => id))
  const flying = new Set(Object.values(state.flight).map(step => step.task))
  return shownTasks(tasks, table).map(task => {
    const { id, title, active = title } = task
    const waitsFor = unmet(task, blocker => done.has(blocker))
    return {
      id,
      content: title,
      status: done.has(id) ? 'completed' : flying.has(id) ? 'in_progress' : 'pending',
      activeForm: active,
      ...(waitsFor.length > 0 && { blockedBy: waitsFor }),
    }
  })
}

/** Tasks that wait for a person, and why. */
export function blockedTasks(
  tasks: readonly Task[],
  state: RunState,
  table: StageTable,
): Map<TaskId, string> {
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
