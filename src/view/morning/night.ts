import type { RunEvent } from '../../core/events.ts'
import { fold } from '../../core/evolve.ts'
import { redactAll } from '../../core/secrets.ts'
import { AT_CAP, type RunState, type StageTable, type StepId } from '../../core/table.ts'
import type { Task, TaskId } from '../../core/task.ts'
import { isShown } from '../../core/todo.ts'
import { askedOf, endedAsAsked, runPhase } from '../report/ending.ts'
import { formatDoubts, formatHashes } from '../report/format.ts'
import type { Iteration } from '../report/iterations.ts'
import { filesOf, receiptOf, type WorkflowTraits } from '../report/receipt.ts'
import { spentOn } from '../report/spent.ts'
import { timesOf } from '../report/times.ts'
import type { AtWork, Costs, DoneHow, DoneTask, LandedRun, Period, RunName, RunNight } from './model.ts'
import { needsOf } from './needs.ts'
import { lookAt } from './rank.ts'

/** A run of this machine, as its journal has it. */
export type KnownRun = {
  /** What commands call it: the name of its worker, or its id. */
  name: string
  /** They begin with `began`. */
  events: readonly RunEvent[]
  /** A process hosts it. */
  live: boolean
  traits: WorkflowTraits
}

/** What a run did in a period, from its journal alone. An iteration belongs to it if anything of it happened then. */
export function nightOf({ name, events, live, traits }: KnownRun, { since, now }: Period): RunNight {
  const receipt = receiptOf(events, traits, live)
  const { state, tasks } = fold(events)
  const { pins } = events[0] as Extract<RunEvent, { type: 'began' }>
  const { id: run, project, command, subject, undone } = receipt
  const about: RunName = { run, name, project, command, work: subject?.[1] ?? '' }
  const steps = stepsSince(events, since, state)
  const iterations = receipt.iterations.filter(({ step }) => steps.has(step))
  const phase = runPhase(events, state, live, now)
  const doubts = formatDoubts(receipt)
  const table = traits.tableOf?.(pins) ?? null
  const isDoubted = doubts.length > 0
  const found = undone === null ? doneTasks({ events, since, tasks, state, table, isDoubted }) : []
  const done = found.map(task => (traits.listed ? task : { ...task, task: null, title: about.work }))
  const isAsAsked = endedAsAsked(receipt, askedOf(receipt))
  const files = filesOf(iterations)
  const isInGit = Boolean(pins.start)
  const times = timesOf(eventsOfNight(events, since, steps))
  // What is under way has no event yet.
  if (phase === 'running') times.workedMs += Math.max(now - Math.max(times.last, since), 0)
  return redactAll({
    ...about,
    needs: needsOf({ about, events, tasks, state, receipt, traits, phase, isAsAsked, now }),
    landed: landedOf(about, done, files, iterations),
    costs: iterations.length === 0 ? null : costsOf(done, iterations, times),
    lookAt: undone === null ? lookAt({ about, tasks: done, doubts, ...files, isOver: !live, isInGit }) : null,
    atWork: live
      ? atWorkOf(about, events, traits.listed ? tasks : [], state, { phase, spent: receipt.totals })
      : null,
  })
}

/** Steps with an event in the period, and those in flight. */
function stepsSince(events: readonly RunEvent[], since: number, { flight }: RunState): Set<StepId> {
  const steps = new Set(Object.keys(flight).map(Number))
  for (const event of events)
    if (event.at >= since && 'id' in event && typeof event.id === 'number') steps.add(event.id)
  return steps
}

/** From the first of these steps on, for the time that they took. */
function eventsOfNight(
  events: readonly RunEvent[],
  since: number,
  steps: ReadonlySet<StepId>,
): readonly RunEvent[] {
  const from = events.findIndex(
    event => event.at >= since || (event.type === 'started' && steps.has(event.id)),
  )
  return from < 0 ? [] : events.slice(from)
}

function landedOf(
  about: RunName,
  tasks: DoneTask[],
  files: { files: number | null; filesCut: boolean },
  iterations: readonly Iteration[],
): LandedRun | null {
  if (tasks.length === 0) return null
  return { ...about, tasks, ...files, isCommitted: iterations.some(({ commits }) => commits.length > 0) }
}

function costsOf(
  tasks: readonly DoneTask[],
  iterations: readonly Iteration[],
  { workedMs, waitedMs }: Pick<Costs, 'workedMs' | 'waitedMs'>,
): Costs {
  const spent = spentOn(iterations)
  const verified = tasks.filter(({ how }) => how === 'verified').length
  return { ...spent, verified, perVerified: perVerified(spent.usd, verified), workedMs, waitedMs }
}

/** What each verified task cost: the others were paid for, too. */
export const perVerified = (usd: number | null, verified: number): number | null =>
  usd === null || verified === 0 ? null : usd / verified

function atWorkOf(
  about: RunName,
  events: readonly RunEvent[],
  tasks: readonly Task[],
  state: RunState,
  { phase, spent }: Pick<AtWork, 'phase' | 'spent'>,
): AtWork {
  const step = Object.values(state.flight)[0]
  // Without a list there is nothing to tell tasks apart by.
  const task = step && tasks.find(({ id }) => id === step.task)
  const { usd, estimated, tokens, unpriced } = spent
  return {
    ...about,
    phase,
    began: events[0]!.at,
    iteration: step?.n ?? state.n,
    iterations: state.limits.iterations,
    doing: task ? `${task.id} ${task.active ?? task.title}` : null,
    spent: { usd, ...(estimated && { estimated }), tokens, unpriced },
  }
}

/** `since`: what was done before counts as known. `isDoubted`: there is a doubt about the run's green checks. */
type LandedOptions = {
  events: readonly RunEvent[]
  since: number
  tasks: readonly Task[]
  state: RunState
  table: StageTable | null
  isDoubted: boolean
}

/** The tasks that were done in a period and still are, in the order of the list. A bug fix belongs to its task. */
function doneTasks({ events, since, tasks, state, table, isDoubted }: LandedOptions): DoneTask[] {
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
