import type { TodoItem } from '../../../core/events.ts'
import type { Task, TaskId } from '../../../core/task.ts'
import type { Wishes } from './decompose.ts'

/** What is known of a task beyond its line in the list: tasks.json has no place for it, details.json has. */
export type Detail = { description?: string; acceptanceCriteria?: string[] }

/** A list that was checked: every item has an id of its own, every blocker is in it, nothing waits for itself. */
export type Planned = { items: (TodoItem & { id: TaskId })[]; details: Record<TaskId, Detail> }

/** The stage at which a bug-fix task begins. */
const FIX = 'fix'

/** The tasks of a list. A bug fix in the list of an earlier build stays the bug fix of its task. */
export function plannedTasks({ items, details }: Planned): Task[] {
  let ids: ReadonlySet<TaskId> | undefined
  const isThere = (id: TaskId) => {
    ids ??= new Set(items.map(item => item.id))
    return ids.has(id)
  }
  return items.map(({ id, content, activeForm, blockedBy = [] }) => {
    const task: Task = { id, title: content, active: activeForm, blockedBy }
    const parent = parentOf(id)
    if (parent !== null && isThere(parent)) Object.assign(task, { first: FIX, parent })
    if (Object.hasOwn(details, id)) task.spec = details[id]!
    return task
  })
}

/** Each item with its details, as a planner writes them and a person edits them. */
export const listOf = ({ items, details }: Planned): (TodoItem & Detail)[] =>
  items.map(item => ({ ...item, ...details[item.id] }))

/** What people said about the plans that they were shown; kept on the task that makes the plan. */
export const wishesOf = (task: Pick<Task, 'spec'>): Wishes | null =>
  (task.spec?.wishes as Wishes | undefined) ?? null

export const detailOf = (task: Task): Detail => (task.spec ?? {}) as Detail

/** details.json, as the truth has it. */
export const detailsOf = (tasks: readonly Task[]): Record<TaskId, Detail> =>
  Object.fromEntries(tasks.filter(task => task.spec).map(task => [task.id, detailOf(task)]))

/** `#3-bug-1` → `#3`; null for what is no id of a bug fix. */
export const parentOf = (id: TaskId): TaskId | null =>
  id.includes('-bug-') ? (/^(.+)-bug-\d+$/.exec(id)?.[1] ?? null) : null

/** One line, whatever the writer put in. */
export const oneLine = (text: string): string =>
  IS_ONE_LINE.test(text) ? text : text.replace(/\s+/g, ' ').trim()

/** Most texts are; to look costs less than to write them anew, and lists can be long. */
const IS_ONE_LINE = /^\S+(?: \S+)*$/
