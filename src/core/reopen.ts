import type { RunEvent } from './events.ts'
import { type RunState, type StageTable, taskStateOf } from './table.ts'
import type { Task } from './task.ts'

/**
 * Someone goes on with a run: what was blocked gets another chance, from its first stage and with
 * nothing held against it. null where nothing was blocked.
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
    const { carry, rounds, bugs } = taskStateOf(table, state, task)
    const first = taskStateOf(table, { ...state, at: {} }, task)
    return [task.id, { ...first, carry, rounds, bugs }] as const
  })
  return { type: 'edited', at: now, by: 'ralph', state: Object.fromEntries(fresh) }
}
