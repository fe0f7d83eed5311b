import { initial, type StageTable, type TaskState, taskStateOf } from '../../core/table.ts'
import { applyEdit, type Edit, type ListEdit, type Task, type TaskId } from '../../core/task.ts'

type ListParts = {
  add: NonNullable<ListEdit['add']>
  remove: TaskId[]
  change: [TaskId, Partial<Task>][]
}

/** Composes an edit of the list: leaves out empty parts, and adds an order only if the parts do not result in it. */
export function composeList(tasks: readonly Task[], parts: ListParts, wanted: TaskId[]): Pick<Edit, 'list'> {
  const list: ListEdit = {
    ...(parts.add.length > 0 && { add: parts.add }),
    ...(parts.remove.length > 0 && { remove: parts.remove }),
    ...(parts.change.length > 0 && { change: Object.fromEntries(parts.change) }),
  }
  const edited = Object.keys(list).length > 0 ? applyEdit(tasks, list) : tasks
  const isAsWanted = (result: readonly Task[]) => result.every((task, index) => task.id === wanted[index])
  if (!isAsWanted(edited)) {
    const named = new Set(wanted)
    if (!isAsWanted(edited.filter(task => named.has(task.id)))) list.order = wanted
  }
  return Object.keys(list).length > 0 ? { list } : {}
}

/** The reason of a task that was closed without work. */
export const SKIPPED = 'skipped by a person'

/** A person may close a task, but that does not prove that it works. */
export const doneByPerson = (current: TaskState): TaskState => ({
  ...current,
  stage: 'done',
  lastRed: [],
  proof: false,
  why: 'completed by a person',
})

/** The state of a task that nobody has worked on: a reopened task has all its tries again. */
export const reopened = (table: StageTable, task: Task): TaskState => taskStateOf(table, initial, task)

const MOST_NAMED = 10

/** Why a request cannot be followed: it is about a task that is not in the list. */
export function unknownTask(kind: 'task' | 'story', id: TaskId, shown: readonly Task[]): string {
  const ids = shown.slice(0, MOST_NAMED).map(task => task.id)
  const more = shown.length > ids.length ? ', …' : ''
  return `there is no ${kind} ${id}; the list has ${ids.length > 0 ? ids.join(', ') + more : 'none yet'}`
}
