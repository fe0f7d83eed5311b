import type { RunEvent } from './events.ts'
import { type RunState, type StageTable, taskStateOf } from './table.ts'
import type { Task } from './task.ts'

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
  const blocked = tasks.filter(task => taskStateOf(table, state, task).stage === 'blocked')
  if (blocked.length === 0) return null
  const fresh = blocked.map(task => {
    const { carry, rounds, bugs, blockedAt } = taskStateOf(table, state, task)
    const first = taskStateOf(table, { ...state, taskStates: {} }, task)
    const stage = blockedAt !== undefined && Object.hasOwn(table.stages, blockedAt) ? blockedAt : first.stage
    return [task.id, { ...first, stage, carry, rounds, bugs }] as const
  })
  return { type: 'edited', at: now, by: 'ralph', state: Object.fromEntries(fresh) }
}
