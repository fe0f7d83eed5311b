import type { RunEvent } from '../../core/events.ts'
import { evolveList } from '../../core/evolve.ts'
import type { StageTable, TaskState } from '../../core/table.ts'
import type { Task, TaskId } from '../../core/task.ts'

/** A task that is not done. */
export type OpenTask = {
  id: TaskId
  title: string
  /** Its stage; null if it was never started. */
  stage: string | null
  /** What its stage is, in words; absent: the stage is not one of the workflow's, as `blocked`. */
  doing?: string
  /** Why it is blocked, or ''. */
  why: string
}

/** The tasks that are not done, in the order of the list. `table`: the stages of the run, if they are known. */
export function openTasks(events: readonly RunEvent[], table: StageTable | null = null): OpenTask[] {
  let tasks: readonly Task[] = []
  const states = new Map<TaskId, TaskState>()
  const begun = new Map<TaskId, string>()
  for (const event of events) {
    tasks = evolveList(tasks, event)
    if (event.type === 'started') begun.set(event.task, event.stage)
    if (event.type === 'settled') states.set(event.task, event.state)
    else if (event.type === 'edited') {
      for (const [id, state] of Object.entries(event.state ?? {})) states.set(id, state)
      for (const id of event.list?.remove ?? []) states.delete(id)
    }
  }
  return tasks.flatMap(({ id, title }) => {
    const at = states.get(id)
    if (at?.stage === 'done') return []
    const stage = at?.stage ?? begun.get(id) ?? null
    const known = stage === null ? undefined : table?.stages[stage]
    const doing = known && { doing: known.title ?? 'begun' }
    return [{ id, title, stage, ...doing, why: at?.stage === 'blocked' ? at.why : '' }]
  })
}
