import type { TodoItem } from '../../../core/events.ts'
import { type RunState, type StageTable, type TaskState, taskStateOf } from '../../../core/table.ts'
import {
  type Edit,
  findCycle,
  isSameList,
  type ListEdit,
  type Task,
  type TaskId,
} from '../../../core/task.ts'
import { shownTasks } from '../../../core/todo.ts'
import { composeList, doneByPerson, reopened } from '../../shared/list-edit.ts'

type ItemWithId = TodoItem & { id: TaskId }

/**
 * What a person's edit of the list means. Reading the same file again, after the edit was adopted but before the file
 * was written, gives no further edit.
 */
export function personEdit(
  tasks: readonly Task[],
  state: RunState,
  table: StageTable,
  items: readonly TodoItem[],
): { edit: Edit; refused: string[] } {
  const shown = shownTasks(tasks, table)
  const withIds = assignIds(items, tasks, shown)
  const listed = new Map(withIds.map(item => [item.id, item]))
  const known = new Map(tasks.map(task => [task.id, task]))
  const isDone = (task: Task) => taskStateOf(table, state, task).stage === 'done'
  const willBeDone = (id: TaskId) => {
    const item = listed.get(id)
    return item ? item.status === 'completed' : known.has(id) && isDone(known.get(id)!)
  }

  const change: [TaskId, Partial<Task>][] = []
  const states: [TaskId, TaskState][] = []
  for (const item of withIds) {
    const task = known.get(item.id) ?? taskOf(item)
    const wasDone = known.has(item.id) && isDone(task)
    if (item.status === 'completed' && !wasDone)
      states.push([item.id, doneByPerson(taskStateOf(table, state, task))])
    if (item.status !== 'completed' && wasDone) states.push([item.id, reopened(table, task)])
    const changed = changeOf(task, item, willBeDone, id => listed.has(id))
    if (known.has(item.id) && changed) change.push([item.id, changed])
  }
  const remove = shown.filter(task => !listed.has(task.id)).map(task => task.id)
  const { add, refused } = additions(withIds, known, id => listed.has(id))
  const edit = {
    ...composeList(tasks, { add, remove, change }, [...listed.keys()]),
    ...(states.length > 0 && { state: Object.fromEntries(states) }),
  }
  return { edit, refused }
}

/** What an agent may change: it may add tasks up to the limit, and reorder. Other changes are reported and reverted. */
export function agentEdit(
  tasks: readonly Task[],
  state: RunState,
  table: StageTable,
  items: readonly TodoItem[],
  ownTask: TaskId,
  room: number,
): { edit: Edit; refused: string[] } {
  const shown = shownTasks(tasks, table)
  const withIds = assignIds(items, tasks, shown)
  const known = new Map(tasks.map(task => [task.id, task]))
  const inList = new Set([...shown, ...withIds].map(({ id }) => id))
  const isInList = (id: TaskId) => inList.has(id)
  const isDone = (id: TaskId) => known.has(id) && taskStateOf(table, state, known.get(id)!).stage === 'done'
  const refused: string[] = []
  const accepted: ItemWithId[] = []
  let remaining = room
  for (const item of withIds) {
    const task = known.get(item.id)
    const done = isDone(item.id)
    if (task === undefined && remaining-- <= 0) {
      inList.delete(item.id)
      refused.push(`"${item.content}" was not added: agents may add no more tasks to this list.`)
      continue
    }
    accepted.push(item)
    if (item.status === 'completed' && !done && item.id !== ownTask)
      refused.push(`${item.id} was marked completed, but only ${ownTask} was worked on.`)
    if (item.status !== 'completed' && done)
      refused.push(`${item.id} was set to ${item.status}, but it is completed.`)
    if (task !== undefined && changeOf(task, item, isDone, isInList) !== null)
      refused.push(`${item.id} was rewritten; it is put back.`)
  }
  const listed = new Set(withIds.map(item => item.id))
  for (const task of shown) if (!listed.has(task.id)) refused.push(`${task.id} was removed; it is put back.`)
  const { add, refused: ignoredBlockers } = additions(accepted, known, isInList)
  const wanted = accepted.map(item => item.id)
  return {
    edit: composeList(tasks, { add, remove: [], change: [] }, wanted),
    refused: [...refused, ...ignoredBlockers],
  }
}

/**
 * An item without an id is the task with the same title, unless another item has that task's id; otherwise it is new
 * and gets the next number. Of several such tasks the oldest comes first, whatever the order: the same file must name
 * the same tasks after a reordering.
 */
function assignIds(items: readonly TodoItem[], tasks: readonly Task[], shown: readonly Task[]): ItemWithId[] {
  const taken = new Set(items.flatMap(item => item.id ?? []))
  const titlesWithoutId = new Set(items.flatMap(item => (item.id === undefined ? item.content : [])))
  const candidates = new Map<string, TaskId[]>()
  for (const { id, title } of shown)
    if (titlesWithoutId.has(title) && !taken.has(id))
      candidates.set(title, [...(candidates.get(title) ?? []), id])
  for (const ids of candidates.values()) ids.sort((a, b) => todoNumber(a) - todoNumber(b) || (a < b ? -1 : 1))
  let last = 0
  for (const id of [...taken, ...tasks.map(task => task.id)]) last = Math.max(last, todoNumber(id))
  return items.map(item => ({
    ...item,
    id: item.id ?? candidates.get(item.content)?.shift() ?? `#${++last}`,
  }))
}

/** `#12` → 12. It is 0 for an id of another kind. */
export const todoNumber = (id: TaskId): number => (/^#\d{1,15}$/.test(id) ? Number(id.slice(1)) : 0)

/** Leaves out and reports blockers that are not in the list or wait for the task itself: they would block it for good. */
function additions(
  withIds: readonly ItemWithId[],
  known: ReadonlyMap<TaskId, Task>,
  isListed: (id: TaskId) => boolean,
): { add: NonNullable<ListEdit['add']>; refused: string[] } {
  const refused: string[] = []
  const fresh = new Map<TaskId, Task>()
  for (const item of withIds) if (!known.has(item.id)) fresh.set(item.id, taskOf(item))
  const isCircular = findCycle([...known.values(), ...fresh.values()]) !== null
  const blockersOf = (id: TaskId) => (fresh.get(id) ?? known.get(id))?.blockedBy ?? []
  for (const task of fresh.values()) {
    const { id } = task
    for (const blocker of task.blockedBy) {
      const why =
        blocker === id
          ? 'the task itself'
          : !isListed(blocker)
            ? 'not in the list'
            : isCircular && leadsTo(blocker, id, blockersOf) && 'waiting for it'
      if (!why) continue
      task.blockedBy = task.blockedBy.filter(other => other !== blocker)
      refused.push(`${id} does not wait for ${blocker}, which is ${why}.`)
    }
  }
  const add = withIds.flatMap(({ id }, index) => {
    const task = fresh.get(id)
    return task ? [{ task, after: withIds[index - 1]?.id ?? null }] : []
  })
  return { add, refused }
}

/** Whether `from` waits for `to`, directly or through others. */
function leadsTo(from: TaskId, to: TaskId, blockersOf: (id: TaskId) => readonly TaskId[]): boolean {
  const seen = new Set<TaskId>()
  const open = [from]
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    if (id === to) return true
    if (!seen.has(id)) open.push(...blockersOf(id))
    seen.add(id)
  }
  return false
}

const taskOf = ({ id, content, activeForm, blockedBy }: ItemWithId): Task => ({
  id,
  title: content,
  active: activeForm,
  blockedBy: [...new Set(blockedBy)],
})

/** Ignores a new blocker that is not in the list: a typo would block the task for good. */
function changeOf(
  task: Task,
  item: ItemWithId,
  willBeDone: (id: TaskId) => boolean,
  isListed: (id: TaskId) => boolean,
): Partial<Task> | null {
  const currentBlockers = task.blockedBy.filter(id => !willBeDone(id))
  const wantedBlockers = [...new Set(item.blockedBy)].filter(
    id => !willBeDone(id) && (isListed(id) || task.blockedBy.includes(id)),
  )
  const changed: Partial<Task> = {}
  if (item.content !== task.title) changed.title = item.content
  if (item.content !== task.title || item.activeForm !== (task.active ?? task.title))
    changed.active = item.activeForm
  if (!isSameList(currentBlockers, wantedBlockers))
    changed.blockedBy = [...task.blockedBy.filter(willBeDone), ...wantedBlockers]
  return Object.keys(changed).length > 0 ? changed : null
}
