import type { RunEvent } from '../core/events.ts'
import { evolve, evolveList } from '../core/evolve.ts'
import type { Ports } from '../core/ports.ts'
import type { RunState, StageTable, Step, StepId } from '../core/table.ts'
import type { Task } from '../core/task.ts'

/** The run as the engine knows it. It changes only by events, and every event is recorded before it counts. */
export interface Book {
  readonly table: StageTable
  readonly state: RunState
  readonly tasks: readonly Task[]
  tell(event: RunEvent): void
  taskOf(step: Step): Task
  step(id: StepId): Step
}

export function openBook(
  table: StageTable,
  from: { state: RunState; tasks: readonly Task[] },
  ports: Pick<Ports, 'tell'>,
): Book {
  let { state, tasks } = from
  return {
    table,
    get state() {
      return state
    },
    get tasks() {
      return tasks
    },
    tell(event) {
      ports.tell(event)
      state = evolve(state, event)
      tasks = evolveList(tasks, event)
    },
    taskOf: step => tasks.find(t => t.id === step.task) ?? { id: step.task, title: step.task, blockedBy: [] },
    step(id) {
      const step = state.flight[id]
      if (!step) throw new Error(`step ${id} is not in flight`)
      return step
    },
  }
}
