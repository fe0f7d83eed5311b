import type { RunEvent } from '../../core/events.ts'
import { AT_CAP, type RunState, type StageTable, type StepId } from '../../core/table.ts'
import type { Task, TaskId } from '../../core/task.ts'
import { isShown } from '../../core/todo.ts'
import { formatHashes } from '../report/format.ts'
import type { DoneHow, DoneTask } from './model.ts'

/** `since`: what was done before counts as known. `isDoubted`: there is a doubt about the run's green checks. */
export type LandedOptions = {
  events: readonly RunEvent[]
  since: number
  tasks: readonly Task[]
  state: RunState
  table: StageTable | null
  isDoubted: boolean
}

/** The tasks that were done in a period and still are, in the order of the list. A bug fix belongs to its task. */
export function doneTasks({ events, since, tasks, state, table, isDoubted }: LandedOptions): DoneTask[] {
  const ends = lastEnds(events)
  const commits = commitsIn(events, since)
  return tasks.flatMap((task): DoneTask[] => {
    const { id, title, parent } = task
    const end = ends.get(id)
    const current = state.taskStates[id]
    if (!end || end.at < since || current?.stage !== 'done' || parent !== undefined) return []
    if (table && !isShown(task, table)) return []
    const how = end.isByPerson ? 'person' : howDone(current, isDoubted)
    return [{ task: id, title, how, commits: commits.get(id) ?? [] }]
  })
}

function howDone({ why, proof }: { why: string; proof: boolean }, isDoubted: boolean): DoneHow {
  if (why === AT_CAP) return 'capped'
  if (!proof) return 'claimed'
  return isDoubted ? 'doubted' : 'verified'
}

/** When each task was last moved to its end, and whether a person did that. */
function lastEnds(events: readonly RunEvent[]): Map<TaskId, { at: number; isByPerson: boolean }> {
  const ends = new Map<TaskId, { at: number; isByPerson: boolean }>()
  for (const event of events)
    if (event.type === 'settled') {
      if (event.state.stage === 'done') ends.set(event.task, { at: event.at, isByPerson: false })
    } else if (event.type === 'edited')
      for (const [task, { stage }] of Object.entries(event.state ?? {}))
        if (stage === 'done') ends.set(task, { at: event.at, isByPerson: event.by === 'person' })
  return ends
}

/** The commits of each task. What was merged counts as its result: the commits before it are gone or part of it. */
function commitsIn(events: readonly RunEvent[], since: number): Map<TaskId, string[]> {
  const taskOf = new Map<StepId, TaskId>()
  const commits = new Map<TaskId, string[]>()
  for (const event of events) {
    if (event.type === 'started') taskOf.set(event.id, event.task)
    if (event.at < since || (event.type !== 'committed' && event.type !== 'merged')) continue
    const task = taskOf.get(event.id)
    if (task === undefined) continue
    const before = event.type === 'merged' ? [] : (commits.get(task) ?? [])
    commits.set(task, [...before, formatHashes({ by: 'ralph', ...event })])
  }
  return commits
}
