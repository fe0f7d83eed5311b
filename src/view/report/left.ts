import type { RunEvent } from '../../core/events.ts'
import { evolveList } from '../../core/evolve.ts'
import type { TaskState } from '../../core/table.ts'
import type { Task, TaskId } from '../../core/task.ts'

/** A task that is not done. */
export type Left = {
  id: TaskId
  title: string
  /** Where it stands; null if nobody began it. */
  stage: string | null
  /** Why it is blocked, or ''. */
  why: string
}

/** The tasks that are not done, in the order of the list. */
export function leftOf(events: readonly RunEvent[]): Left[] {
  let tasks: readonly Task[] = []
  const standing = new Map<TaskId, TaskState>()
  for (const event of events) {
    tasks = evolveList(tasks, event)
    if (event.type === 'settled') standing.set(event.task, event.state)
    else if (event.type === 'edited') {
      for (const [id, state] of Object.entries(event.state ?? {})) standing.set(id, state)
      for (const id of event.list?.remove ?? []) standing.delete(id)
    }
  }
  return tasks.flatMap(({ id, title }) => {
    const at = standing.get(id)
    if (at?.stage === 'done') return []
    return [{ id, title, stage: at?.stage ?? null, why: at?.stage === 'blocked' ? at.why : '' }]
  })
}
