import { isTruth, type RunEvent } from '../core/events.ts'
import { evolve, evolveList } from '../core/evolve.ts'
import type { RunState, StageTable, Step, StepId } from '../core/table.ts'
import type { Task } from '../core/task.ts'

/** The run as the engine knows it: the journal's events, folded. */
export interface Book {
  readonly table: StageTable
  readonly state: RunState
  readonly tasks: readonly Task[]
  /**
   * Appends the event to the journal, changes the state by it, then notifies. A passing event is only passed on. What
   * a listener records meanwhile waits its turn, so that everyone sees the events in the same order.
   */
  record(event: RunEvent): void
  taskOf(step: Step): Task
  step(id: StepId): Step
}

/** `append` returns once the event is in the journal, and throws if it cannot write it: then the run must stop. */
export function openBook(
  table: StageTable,
  from: { state: RunState; tasks: readonly Task[] },
  append: (event: RunEvent) => void,
  notify: (event: RunEvent, record: Book['record']) => void = () => {},
): Book {
  let { state, tasks } = from
  const waiting: RunEvent[] = []
  let isPassing = false

  function pass(event: RunEvent): void {
    if (isTruth(event)) {
      append(event)
      state = evolve(state, event)
      tasks = evolveList(tasks, event)
    }
    notify(event, record)
  }

  function record(event: RunEvent): void {
    waiting.push(event)
    if (isPassing) return
    isPassing = true
    try {
      for (let next = waiting.shift(); next; next = waiting.shift()) pass(next)
    } finally {
      isPassing = false
      waiting.length = 0
    }
  }

  return {
    table,
    get state() {
      return state
    },
    get tasks() {
      return tasks
    },
    record,
    taskOf: step => tasks.find(t => t.id === step.task) ?? { id: step.task, title: step.task, blockedBy: [] },
    step(id) {
      const step = state.flight[id]
      if (!step) throw new Error(`step ${id} is not in flight`)
      return step
    },
  }
}
