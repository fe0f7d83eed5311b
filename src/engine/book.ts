import type { RunEvent } from '../core/events.ts'
import { evolve, evolveList } from '../core/evolve.ts'
import type { RunState, StageTable, Step, StepId } from '../core/table.ts'
import type { Task } from '../core/task.ts'

/** The run as the engine knows it: the journal's events, folded. */
export interface Book {
  readonly table: StageTable
  readonly state: RunState
  readonly tasks: readonly Task[]
  /** Appends the event to the journal, then changes the state by it. */
  record(event: RunEvent): void
  taskOf(step: Step): Task
  step(id: StepId): Step
}

/** `append` returns once the event is in the journal, and throws if it cannot write it: then the run must stop. */
export function openBook(
  table: StageTable,
  from: { state: RunState; tasks: readonly Task[] },
  append: (event: RunEvent) => void,
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
    record(event) {
      append(event)
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
