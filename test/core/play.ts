import type { Finding, Outcome, RunEvent, Settled } from '../../src/core/events.ts'
import { evolve, evolveList } from '../../src/core/evolve.ts'
import { type Decision, next } from '../../src/core/next.ts'
import { settle } from '../../src/core/settle.ts'
import {
  initial,
  type Limits,
  type RunState,
  type StageTable,
  type TaskState,
  taskStateOf,
} from '../../src/core/table.ts'
import type { Task } from '../../src/core/task.ts'

type Ok = Extract<Outcome, { end: 'ok' }>

export const LIMITS: Limits = {
  iterations: null,
  failures: 5,
  crashes: 3,
  stuck: 3,
  empties: 2,
  limitWaitMs: 6 * 3_600_000,
  usd: null,
  tokens: null,
  ms: null,
  additions: 50,
}

export const task = (id: string, more: Partial<Task> = {}): Task => ({
  id,
  title: `Do ${id}`,
  blockedBy: [],
  ...more,
})

export const ok = (more: Partial<Ok> = {}): Ok => ({ end: 'ok', findings: [], changed: true, ...more })
export const trouble = (
  end: 'error' | 'inactive' | 'timeout' | 'empty' | 'interrupted',
  changed = false,
): Outcome => ({
  end,
  note: end,
  changed,
})
export const green: Finding = { check: 'npm test', verdict: 'pass', note: '' }
export const red: Finding = { check: 'npm test', verdict: 'fail', note: '\n  2 tests failed\nmore' }
export const unsure: Finding = { check: 'judge', verdict: 'unsure', note: 'the judge was not sure' }

/** Plays a run by hand: `step` begins what is decided, waiting as long as it says, and settles it as told. */
export function play(workflow: StageTable, list: Task[], limits: Limits = LIMITS, agents = ['a']) {
  let state: RunState = initial
  let tasks: readonly Task[] = []
  let now = 1000
  let since = now

  const record = (event: RunEvent) => {
    if (event.type === 'resumed') since = event.at
    state = evolve(state, event)
    tasks = evolveList(tasks, event)
  }
  const decide = (): Decision => next(workflow, state, tasks, now, now - since, () => agents)
  const begin = (workspace?: string) => {
    let decision = decide()
    for (; decision.type === 'wait'; decision = decide()) {
      if (decision.until <= now) throw new Error('waits for what is past')
      now = decision.until
    }
    if (decision.type !== 'work') throw new Error(`nothing to do: ${JSON.stringify(decision)}`)
    const { task, stage, agent } = decision
    const where = workspace !== undefined && { workspace }
    record({
      type: 'started',
      at: now,
      id: state.steps + 1,
      task: task.id,
      stage,
      agent,
      n: state.n + 1,
      ...where,
    })
    return state.flight[state.steps]!
  }
  const land = (id: number, outcome: Outcome): Settled => {
    const step = state.flight[id]!
    const event = settle(workflow, state, step, tasks.find(t => t.id === step.task)!, outcome, now)
    record(event)
    return event
  }
  record({
    type: 'began',
    at: now,
    v: 2,
    id: 'r',
    project: '/',
    workflow: workflow.name,
    limits,
    tasks: list,
    pins: {},
  })

  return {
    record,
    decide,
    begin,
    land,
    step: (outcome: Outcome, workspace?: string): Settled => land(begin(workspace).id, outcome),
    at: (id: string): TaskState => taskStateOf(workflow, state, tasks.find(t => t.id === id)!),
    get state() {
      return state
    },
    get tasks() {
      return tasks
    },
    get now() {
      return now
    },
    pass(ms: number) {
      now += ms
    },
  }
}
