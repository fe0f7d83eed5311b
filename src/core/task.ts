import type { StageName, TaskState } from './table.ts'

export type TaskId = string

export const LONGEST_ID = 64

/** One word: ids appear in lists, logs and prompts, and must not be read as anything else there. */
export const isId = (id: string): boolean => id.length <= LONGEST_ID && /^\S+$/.test(id)

/** The id of the task that a person means: they may leave out a leading `#`. Null if there is no such task. */
export const findTaskId = (tasks: readonly { id: TaskId }[], word: string): TaskId | null =>
  [word, `#${word}`].find(id => tasks.some(task => task.id === id)) ?? null

/** A unit of work. Its state is kept apart, in the run's state. */
export type Task = {
  id: TaskId
  title: string
  /** What to say while it is worked on. */
  active?: string
  blockedBy: readonly TaskId[]
  /** Smaller first. Equal ones keep their order in the list. */
  priority?: number
  /** Where it starts, if not at the table's first stage. */
  first?: StageName
  /** The task that a bug-fix task was made for. */
  parent?: TaskId
  /** Its own number of tries per stage. */
  tries?: Partial<Record<StageName, number>>
  /** What the list's format keeps beyond this; pinned, and put back by the projection. */
  spec?: Record<string, unknown>
}

/** A change of the list as data: repeating it changes nothing. */
export type ListEdit = {
  add?: { task: Task; after: TaskId | null }[]
  remove?: TaskId[]
  change?: Record<TaskId, Partial<Omit<Task, 'id'>>>
  /** The ids in their new order. Ids it does not name keep their place behind their predecessor. */
  order?: TaskId[]
}

/** A change of the list and of its tasks' states, as an `edited` event has it. Empty: nothing changed. */
export type Edit = { list?: ListEdit; state?: Record<TaskId, TaskState> }

export function applyEdit(tasks: readonly Task[], edit: ListEdit): Task[] {
  const gone = new Set(edit.remove)
  let list = tasks
    .filter(t => !gone.has(t.id))
    .map(t => {
      const changed = edit.change?.[t.id] ? { ...t, ...edit.change[t.id] } : t
      return changed.blockedBy.some(b => gone.has(b))
        ? { ...changed, blockedBy: changed.blockedBy.filter(b => !gone.has(b)) }
        : changed
    })
  for (const { task, after } of edit.add ?? []) list = insertAfter(list, [task], after)
  return edit.order ? reorder(list, edit.order) : list
}

/** Puts tasks right behind another, or first if that is null. Those that are there already stay where they are. */
export function insertAfter(tasks: readonly Task[], added: readonly Task[], after: TaskId | null): Task[] {
  const known = new Set(tasks.map(t => t.id))
  const fresh = added.filter(t => !known.has(t.id))
  if (fresh.length === 0) return [...tasks]
  const index = after === null ? -1 : tasks.findIndex(t => t.id === after)
  return index < 0 && after !== null
    ? [...tasks, ...fresh]
    : [...tasks.slice(0, index + 1), ...fresh, ...tasks.slice(index + 1)]
}

/** Whether two lists have the same entries in the same order. */
export const isSameList = (a: readonly unknown[], b: readonly unknown[]): boolean =>
  a.length === b.length && a.every((entry, index) => entry === b[index])

function reorder(tasks: Task[], order: TaskId[]): Task[] {
  const named = new Set(order)
  const known = byId(tasks)
  const followers = new Map<TaskId | null, Task[]>()
  let leader: TaskId | null = null
  for (const t of tasks) {
    if (named.has(t.id)) leader = t.id
    else followers.set(leader, [...(followers.get(leader) ?? []), t])
  }
  const out = [...(followers.get(null) ?? [])]
  for (const id of new Set(order)) {
    const task = known.get(id)
    if (task) out.push(task, ...(followers.get(id) ?? []))
  }
  return out
}

/** Tasks by their ids, or anything else that has an id. */
export const byId = <T extends { id: TaskId }>(list: readonly T[]): ReadonlyMap<TaskId, T> =>
  new Map(list.map(entry => [entry.id, entry]))

/** What a task still waits for. An unknown blocker is never met: better to stop and name it than to guess. */
export const unmet = ({ blockedBy }: Task, isDone: (id: TaskId) => boolean): TaskId[] =>
  blockedBy.filter(blocker => !isDone(blocker))

/** Whether all that it waits for is done. */
export const isMet = (task: Task, isDone: (id: TaskId) => boolean): boolean => task.blockedBy.every(isDone)

/** The first cycle among the tasks' blockers, as a path that ends where it began. Null if there is none. */
export function findCycle(tasks: readonly Task[]): TaskId[] | null {
  const known = byId(tasks)
  const state = new Map<TaskId, 'open' | 'closed'>()
  for (const root of tasks) {
    if (state.has(root.id)) continue
    // Depth first with a stack of our own: a chain of 10,000 tasks must not overflow the engine's.
    const path: { id: TaskId; next: number }[] = [{ id: root.id, next: 0 }]
    state.set(root.id, 'open')
    while (path.length > 0) {
      const top = path[path.length - 1]!
      const blocker = known.get(top.id)?.blockedBy[top.next++]
      if (blocker === undefined) {
        state.set(top.id, 'closed')
        path.pop()
      } else if (state.get(blocker) === 'open') {
        return [...path.slice(path.findIndex(p => p.id === blocker)).map(p => p.id), blocker]
      } else if (!state.has(blocker) && known.has(blocker)) {
        state.set(blocker, 'open')
        path.push({ id: blocker, next: 0 })
      }
    }
  }
  return null
}
