import type { RunEvent } from './events.ts'
import { type RunState, type StageTable, type TaskState, taskStateOf } from './table.ts'
import type { Task, TaskId } from './task.ts'

/** Why a task is blocked that a person cancelled. */
export const CANCELLED = 'cancelled by a person'

export const isCancelled = ({ stage, why }: Pick<TaskState, 'stage' | 'why'>): boolean =>
  stage === 'blocked' && why === CANCELLED

/** Whether all that is left to do are tasks that a person cancelled, and those that wait for them. */
export function isGivenUp({ taskStates }: Pick<RunState, 'taskStates'>, tasks: readonly Task[]): boolean {
  const left = tasks.filter(({ id }) => taskStates[id]?.stage !== 'done')
  const given = new Set<TaskId>()
  const isGiven = ({ id, blockedBy }: Task): boolean => {
    const current = taskStates[id]
    return (current !== undefined && isCancelled(current)) || blockedBy.some(other => given.has(other))
  }
  for (let size = -1; size < given.size; ) {
    size = given.size
    for (const task of left) if (isGiven(task)) given.add(task.id)
  }
  return left.length > 0 && given.size === left.length
}

/** A person cancels a task; the others continue. null if there is nothing to cancel. */
export function cancelTask(
  table: StageTable,
  state: RunState,
  task: Task | undefined,
  now: number,
): (RunEvent & { type: 'edited' }) | null {
  const current = task && taskStateOf(table, state, task)
  if (!current || current.stage === 'done' || isCancelled(current)) return null
  const cancelled: TaskState = { ...current, stage: 'blocked', why: CANCELLED, proof: false }
  return { type: 'edited', at: now, by: 'person', state: { [task.id]: cancelled } }
}

/**
 * Blocked tasks that are taken up again go on with the stage that they were blocked at, with all its tries. They keep their rounds,
 * bug fixes and last findings.
 * null if nothing was blocked.
 */
export function reopen(
  table: StageTable,
  state: RunState,
  tasks: readonly Task[],
  now: number,
): RunEvent | null {
  const blocked = tasks.filter(task => {
    const current = taskStateOf(table, state, task)
    return current.stage === 'blocked' && !isCancelled(current)
  })
  if (blocked.length === 0) return null
  const fresh = blocked.map(task => {
    const { lastRed, rounds, bugs, blockedAt } = taskStateOf(table, state, task)
    const first = taskStateOf(table, { ...state, taskStates: {} }, task)
    const stage = blockedAt !== undefined && Object.hasOwn(table.stages, blockedAt) ? blockedAt : first.stage
    return [task.id, { ...first, stage, lastRed, rounds, bugs }] as const
  })
  return { type: 'edited', at: now, by: 'ralph', state: Object.fromEntries(fresh) }
}
