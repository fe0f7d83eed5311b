import type { RunState } from './table.ts'
import type { Task, TaskId } from './task.ts'

type Known = { tasks: readonly Task[]; done: ReadonlySet<TaskId> }

/** Several ask for it in every iteration, lists can be long, and it changes only when a task moves. */
const known = new WeakMap<RunState['at'], Known>()

/** The tasks that are done. One that was never worked on is not. */
export function doneOf(tasks: readonly Task[], { at }: Pick<RunState, 'at'>): ReadonlySet<TaskId> {
  const last = known.get(at)
  if (last?.tasks === tasks) return last.done
  const done = new Set<TaskId>()
  for (const { id } of tasks) if (Object.hasOwn(at, id) && at[id]!.stage === 'done') done.add(id)
  known.set(at, { tasks, done })
  return done
}
