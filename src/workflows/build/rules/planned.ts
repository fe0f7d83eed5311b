import type { TodoItem } from '../../../core/events.ts'
import type { StageName } from '../../../core/table.ts'
import type { Task, TaskId } from '../../../core/task.ts'

/** More than the list says about a task. It is kept in details.json, not in tasks.json. */
export type Detail = { description?: string; acceptanceCriteria?: string[] }

/** A list that passed all checks: ids are unique, every blocker is in the list, and there are no cycles. */
export type CheckedList = { items: (TodoItem & { id: TaskId })[]; details: Record<TaskId, Detail> }

/** Whether a stage makes the list, and works on none of its tasks. */
export const isPlanning = (stage: StageName | undefined): boolean =>
  stage === 'refine' || stage === 'decompose'

/** The first stage of a bug-fix task. */
const FIX = 'fix'

/** The tasks of a list. A bug fix from an earlier build's list keeps its parent. */
export function plannedTasks({ items, details }: CheckedList): Task[] {
  const ids = new Set(items.map(item => item.id))
  return items.map(({ id, content, activeForm, blockedBy = [] }) => {
    const task: Task = { id, title: content, active: activeForm, blockedBy }
    const parent = parentOf(id)
    if (parent !== null && ids.has(parent)) Object.assign(task, { first: FIX, parent })
    if (Object.hasOwn(details, id)) task.spec = details[id]!
    return task
  })
}

/** Each item together with its details: the form that planners write and people edit. */
export const itemsWithDetails = ({ items, details }: CheckedList): (TodoItem & Detail)[] =>
  items.map(item => ({ ...item, ...details[item.id] }))

export const detailOf = (task: Task): Detail => (task.spec ?? {}) as Detail

/** For people. */
export const taskDetailLines = ({ description, acceptanceCriteria = [] }: Detail): string[] => [
  ...(description?.split('\n') ?? []),
  ...acceptanceCriteria.map(criterion => `- ${criterion}`),
]

/** The content of details.json. */
export const detailsOf = (tasks: readonly Task[]): Record<TaskId, Detail> =>
  Object.fromEntries(tasks.filter(task => task.spec).map(task => [task.id, detailOf(task)]))

/** `#3-bug-1` → `#3`. Null if this is not the id of a bug fix. */
export const parentOf = (id: TaskId): TaskId | null => /^(.+)-bug-\d+$/.exec(id)?.[1] ?? null
