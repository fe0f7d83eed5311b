import { initial, type StageTable, type TaskState, taskStateOf } from '../../core/table.ts'
import { applyEdit, type Edit, type ListEdit, type Task, type TaskId } from '../../core/task.ts'

type Parts = {
  add: NonNullable<ListEdit['add']>
  remove: TaskId[]
  change: [TaskId, Partial<Task>][]
}

/** Leaves out what is empty, and adds an order only where the parts alone do not lead to the one that is wanted. */
export function composeList(tasks: readonly Task[], parts: Parts, wanted: TaskId[]): Pick<Edit, 'list'> {
  const list: ListEdit = {
    ...(parts.add.length > 0 && { add: parts.add }),
    ...(parts.remove.length > 0 && { remove: parts.remove }),
    ...(parts.change.length > 0 && { change: Object.fromEntries(parts.change) }),
  }
  const named = new Set(wanted)
  const result = applyEdit(tasks, list).filter(task => named.has(task.id))
  if (result.some((task, place) => task.id !== wanted[place])) list.order = wanted
  return Object.keys(list).length > 0 ? { list } : {}
}

/** Why a task is done that nobody did. */
export const SKIPPED = 'skipped by a person'

/** A person's word ends a task, but it proves nothing. */
export const doneByPerson = (stands: TaskState): TaskState => ({
  ...stands,
  stage: 'done',
  carry: [],
  proof: false,
  why: 'completed by a person',
})

/** A task as if it had never been worked on: whoever reopens it gives it all its tries again. */
export const reopened = (workflow: StageTable, task: Task): TaskState => taskStateOf(workflow, initial, task)
