import type { Finding, RunEvent, TodoItem } from '../../core/events.ts'
import { evolve, evolveList } from '../../core/evolve.ts'
import { initial, type RunState, type StageTable, type StepId } from '../../core/table.ts'
import type { Task } from '../../core/task.ts'
import { blockedTasks, projectTodo } from '../../core/todo.ts'
import { type Iteration, iterationReader } from '../report/iterations.ts'
import type { WorkflowTraits } from '../report/receipt.ts'
import { type Spent, spentOn, sumSpent } from '../report/spent.ts'

/** What a screen needs to know of a workflow. */
export type ShownWorkflow = WorkflowTraits & {
  table: StageTable
  subject: string
  /** What must hold for a task to be done, line by line. */
  criteriaOf(task: Task): string[]
}

/** A run, folded from its journal. Of its events it has only the latest of each kind. */
export type RunFacts = {
  began: Extract<RunEvent, { type: 'began' }>
  workflow: ShownWorkflow
  state: RunState
  tasks: readonly Task[]
  /** The latest event of each kind that matters, in order. It tells how the run ended and who hosts it, as all would. */
  latest: readonly RunEvent[]
  lastEvent: RunEvent
  /** The latest ones; older ones are only counted. */
  iterations: readonly Iteration[]
  spent: Spent
  /** Of the latest step with an agent. */
  agent: string | null
  model: string | null
  items: readonly TodoItem[]
  /** What each role did last. */
  roles: readonly RoleFacts[]
  /** How many iterations each task had. */
  counts: ReadonlyMap<string, number>
  /** Tasks that wait for a person, and why. */
  blocked: ReadonlyMap<string, string>
}

export type RunFold = {
  onEvent(event: RunEvent): void
  /** Null if its first event has not come, or is not the start of a run. */
  facts(): RunFacts | null
}

/** More would fill the memory of a screen that is open for weeks. */
const MOST_ITERATIONS = 1000

/** What is no longer so: a question that was followed by work, a host that was allowed. */
function goneWith(event: RunEvent): string[] {
  if (event.type === 'settled') return [`asked ${event.task}`]
  return event.type === 'allowed' ? [`denied ${event.host}`] : []
}

/** Which of the latest events replaces which. A settled one counts for the number it set, and for the question it asked. */
function slotsOf(event: RunEvent): string[] {
  switch (event.type) {
    case 'settled':
      return [
        'settled',
        ...(event.patch.n === undefined ? [] : ['counted']),
        ...(event.move === 'ask' ? [`asked ${event.task}`] : []),
      ]
    case 'finished':
    case 'stopped':
      return ['end']
    case 'denied':
      return [`denied ${event.host}`]
    case 'began':
    case 'resumed':
    case 'limits':
    case 'control':
    case 'undone':
    case 'instructed':
    case 'started':
      return [event.type]
    default:
      return []
  }
}

/** Folds the journal of a run, event by event. What it keeps does not grow with the journal. */
export function runFold(workflowOf: (began: RunFacts['began']) => ShownWorkflow): RunFold {
  let began: RunFacts['began'] | null = null
  let workflow: ShownWorkflow | null = null
  let state = initial
  let tasks: readonly Task[] = []
  let lastEvent: RunEvent | null = null
  let events = 0
  let agent: string | null = null
  let model: string | null = null
  const slots = new Map<string, { event: RunEvent; at: number }>()
  let before: Spent = spentOn([])
  const roles = roleFold()
  const iterations = iterationReader(MOST_ITERATIONS, dropped => {
    before = sumSpent([before, spentOn([dropped])])
  })
  return {
    onEvent(event) {
      if (event.type === 'began' && began === null) {
        began = event
        workflow = workflowOf(event)
      }
      state = evolve(state, event)
      tasks = evolveList(tasks, event)
      iterations.onEvent(event, tasks)
      if (workflow) roles.onEvent(event, workflow.table)
      events++
      lastEvent = event
      for (const slot of goneWith(event)) slots.delete(slot)
      for (const slot of slotsOf(event)) slots.set(slot, { event, at: events })
      if (event.type === 'started' && event.agent !== null) agent = event.agent
      if (event.type === 'ended') model = event.model ?? model
    },
    facts() {
      if (!began || !workflow || !lastEvent) return null
      const latest = [...slots.values()].sort((a, b) => a.at - b.at)
      const kept = iterations.all()
      return {
        began,
        workflow,
        state,
        tasks,
        latest: [...new Set(latest.map(({ event }) => event))],
        lastEvent,
        iterations: kept,
        spent: sumSpent([before, spentOn(kept)]),
        agent,
        model,
        roles: roles.roles(),
        counts: roles.counts(),
        items: workflow.listed ? projectTodo(tasks, state, workflow.table) : [],
        blocked: blockedTasks(tasks, state, workflow.table),
      }
    },
  }
}

/** What one role did last: who worked, on what, and what came of it. */
export type RoleFacts = {
  role: string
  agent: string
  model: string | null
  task: string
  stage: string
  n: number
  began: number
  /** Its agent has not ended. */
  isAtWork: boolean
  /** How its last settled iteration ended, in a word, and what the checks of it said. Null if none has settled. */
  last: { move: string; note: string; findings: readonly Finding[] } | null
}

/** Folds what each role did last, and how many iterations each task had. */
function roleFold() {
  const roles = new Map<string, RoleFacts>()
  const counts = new Map<string, number>()
  const steps = new Map<StepId, string>()
  const change = (id: StepId, facts: Partial<RoleFacts>) => {
    const role = steps.get(id)
    const known = role === undefined ? undefined : roles.get(role)
    if (known) roles.set(known.role, { ...known, ...facts })
  }
  return {
    roles: (): readonly RoleFacts[] => [...roles.values()],
    counts: (): ReadonlyMap<string, number> => counts,
    onEvent(event: RunEvent, table: StageTable): void {
      switch (event.type) {
        case 'started': {
          if (event.agent === null) return
          const role = table.stages[event.stage]?.role ?? event.stage
          const { agent, task, stage, n, at } = event
          const before = roles.get(role)
          steps.set(event.id, role)
          counts.set(task, (counts.get(task) ?? 0) + 1)
          roles.set(role, {
            ...{ role, agent, task, stage, n, began: at, isAtWork: true },
            model: before?.agent === agent ? before.model : null,
            last: before?.last ?? null,
          })
          return
        }
        case 'ended':
          change(event.id, { isAtWork: false, ...(event.model !== undefined && { model: event.model }) })
          return
        case 'settled': {
          const { move, end, note, findings } = event
          change(event.id, { isAtWork: false, last: { move: move ?? end, note, findings } })
          steps.delete(event.id)
        }
      }
    },
  }
}
