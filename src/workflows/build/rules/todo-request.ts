import { onOneLine } from '../../../core/format.ts'
import { type RunState, type StageTable, taskStateOf } from '../../../core/table.ts'
import type { Edit, Task, TaskId } from '../../../core/task.ts'
import { shownTasks } from '../../../core/todo.ts'
import { doneByPerson, SKIPPED, unknownTask } from '../../shared/list-edit.ts'
import { todoNumber } from './todo-edits.ts'

/** A person's request to change a build's list. It may come at any time. */
export type TodoRequest =
  | { action: 'add'; text: string; blockedBy?: TaskId[] }
  | { action: 'done' | 'skip'; task: TaskId }
  | { action: 'edit'; task: TaskId; text: string }

function isTodoRequest(value: unknown): value is TodoRequest {
  const { action, task, text, blockedBy } = (value ?? {}) as Record<string, unknown>
  const isText = typeof text === 'string'
  const isTask = typeof task === 'string'
  if (action === 'add')
    return isText && (blockedBy === undefined || (Array.isArray(blockedBy) && blockedBy.every(isId)))
  return action === 'edit' ? isTask && isText : isTask && (action === 'done' || action === 'skip')
}

const isId = (value: unknown) => typeof value === 'string'

/** The edit that a request means now, or an error. Anybody may have written the request, so it is validated. */
export function todoEdit(
  tasks: readonly Task[],
  state: RunState,
  table: StageTable,
  request: unknown,
): Edit | { error: string } {
  if (!isTodoRequest(request)) return { error: 'the request could not be read' }
  const shown = shownTasks(tasks, table)
  const find = (id: TaskId) => shown.find(task => task.id === id)
  if (request.action === 'add') {
    // The plan will number its tasks from #1, so an earlier addition would clash with it.
    if (tasks.some(task => !shown.includes(task) && taskStateOf(table, state, task).stage !== 'done'))
      return { error: 'the plan is not made yet; to give the planner an instruction, use: ralph tell' }
    const { text, blockedBy = [] } = request
    const unknown = blockedBy.find(id => !find(id))
    if (unknown !== undefined) return { error: unknownTask('task', unknown, shown) }
    const last = Math.max(0, ...tasks.map(task => todoNumber(task.id)))
    const title = onOneLine(text)
    const task: Task = { id: `#${last + 1}`, title, active: title, blockedBy }
    return { list: { add: [{ task, after: tasks.at(-1)?.id ?? null }] } }
  }
  const task = find(request.task)
  if (!task) return { error: unknownTask('task', request.task, shown) }
  if (request.action === 'edit') {
    const title = onOneLine(request.text)
    return { list: { change: { [task.id]: { title, active: title } } } }
  }
  const current = taskStateOf(table, state, task)
  if (current.stage === 'done') return { error: `${task.id} is already completed` }
  // Its open bug fixes are no longer needed.
  const fixes = shown.filter(
    ({ parent, ...fix }) => parent === task.id && taskStateOf(table, state, fix).stage !== 'done',
  )
  const states = [task, ...fixes].map(closed => {
    const done = doneByPerson(taskStateOf(table, state, closed))
    return [closed.id, request.action === 'skip' ? { ...done, why: SKIPPED } : done] as const
  })
  return { state: Object.fromEntries(states) }
}
