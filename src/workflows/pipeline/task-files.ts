import type { Result, Settled } from '../../core/events.ts'
import { isCancelled } from '../../core/reopen.ts'
import { taskStateOf } from '../../core/table.ts'
import { isMerging } from '../shared/merging.ts'
import type { Context } from '../workflow.ts'
import { failureReason, historyOf } from './rules/history.ts'
import type { PipelineSpec } from './spec.ts'
import { fileTaskStore, type TaskStore } from './tasks/store.ts'
import type { TaskStatus } from './tasks/task.ts'

/** Keeps the files of the tasks up to date: status, iterations, and why a task is not completed. Safe to repeat. */
export function taskFiles({ spec, table, run, journal, record }: Context<PipelineSpec>) {
  const store = storeOf(spec)

  function save(id: string, status: TaskStatus, reason: string | null): void {
    try {
      const task = store.get(id)
      if (!task) return
      const { reason: _, ...metadata } = task.metadata
      const iteration = historyOf(journal()).find(history => history.id === id)?.iterations ?? 0
      store.save({
        ...task,
        status,
        iteration,
        metadata: reason === null ? metadata : { ...metadata, reason },
        updated_at: new Date().toISOString(),
      })
    } catch (error) {
      // The journal is the truth; a file that cannot be written must not stop the run.
      record({ type: 'warned', at: Date.now(), note: `task ${id}: ${(error as Error).message}` })
    }
  }

  return {
    begin: (id: string) => save(id, 'in_progress', null),
    cancelled: (id: string) => save(id, 'cancelled', null),
    settled(settled: Settled): void {
      const { task: id, stage, move, state } = settled
      if (isCancelled(state)) save(id, 'cancelled', null)
      else if (state.stage === 'blocked') {
        const history = historyOf(journal()).find(one => one.id === id) ?? { id, iterations: 0, attempts: [] }
        if (isMerging(stage)) save(id, 'blocked', state.why)
        else save(id, move === 'ask' ? 'blocked' : 'failed', failureReason(history, settled))
      } else save(id, state.stage === 'done' ? 'completed' : 'in_progress', null)
    },
    /** Tasks that waited for one that failed are blocked; those of a cancelled run wait for another. */
    finished(result: Result): void {
      const { state, tasks } = run()
      for (const task of tasks) {
        const { stage } = taskStateOf(table, state, task)
        if (stage === 'done' || stage === 'blocked') continue
        const waits = task.blockedBy.filter(id => {
          const other = tasks.find(one => one.id === id)
          return other && taskStateOf(table, state, other).stage !== 'done'
        })
        if (result === 'blocked' && waits.length > 0)
          save(task.id, 'blocked', `waits for ${waits.join(', ')}`)
        else save(task.id, 'pending', null)
      }
    },
  }
}

/** Restores what ralph writes into the files of tasks to the state when a run began. Cancelled tasks stay cancelled. */
export function reopenTasks(spec: PipelineSpec): void {
  const store = storeOf(spec)
  for (const { id, status, iteration, metadata } of spec.tasks) {
    const task = store.get(id)
    if (task && task.status !== status && task.status !== 'cancelled')
      store.save({ ...task, status, iteration, metadata, updated_at: new Date().toISOString() })
  }
}

const storeOf = ({ project, settings }: PipelineSpec): TaskStore =>
  fileTaskStore(project, { roles: null, method: settings.pipeline.verification })
