import type { Proof, Result } from './events.ts'
import { atMost } from './format.ts'
import { agentsIn, isSetBack, reached, waitFor } from './limits.ts'
import {
  type AgentName,
  isOpen,
  type RunState,
  type StageName,
  type StageTable,
  type Step,
  stageOf,
  taskStateOf,
} from './table.ts'
import { findCycle, isMet, type Task, type TaskId, unmet } from './task.ts'
import { isShown } from './todo.ts'
import { type GivenUp, givenUp, pausing } from './trouble/streaks.ts'

export type Decision =
  | { type: 'work'; task: Task; stage: StageName; agent: AgentName | null }
  /** Nothing to start; something is in flight. `until`: then there may be. */
  | { type: 'busy'; until?: number }
  | { type: 'pause' }
  | { type: 'wait'; until: number; why: string }
  | { type: 'finish'; result: Result; proof: Proof | null; why: string }

/**
 * What to do now. Pure: the same state, list and time give the same decision.
 * `worked`: how long this incarnation has taken so far, by a monotonic clock.
 */
export function next(
  table: StageTable,
  state: RunState,
  tasks: readonly Task[],
  now: number,
  worked: number,
  agentsFor: (stage: StageName) => readonly AgentName[],
): Decision {
  const flying = Object.values(state.flight)
  const whenLanded = (decision: Decision): Decision =>
    flying.length === 0
      ? decision
      : { type: 'busy', ...(decision.type === 'wait' && { until: decision.until }) }
  const finish = (result: Result, why: string, proof: Proof | null = null) =>
    whenLanded({ type: 'finish', result, proof, why })

  if (state.hold === 'stop') return finish('cancelled', 'cancelled')
  if (state.hold === 'pause') return whenLanded({ type: 'pause' })

  const done = new Set<TaskId>()
  const open: Task[] = []
  for (const task of tasks) {
    const stage = stageOf(table, state, task)
    if (stage === 'done') done.add(task.id)
    else if (isOpen(stage)) open.push(task)
  }
  if (done.size === tasks.length) {
    // An empty list after planning is not a success.
    if (!tasks.some(t => isShown(t, table))) return finish('blocked', 'the list is empty')
    const doubts = explainDoubts(state)
    const isProven = doubts === '' && tasks.every(t => taskStateOf(table, state, t).proof)
    return finish('complete', doubts || whyDone(table, state, tasks), isProven ? 'verified' : 'claimed')
  }
  if (open.length === 0) return finish('blocked', explainBlocked(table, state, tasks))

  const isFull = agentsAmong(table, flying) >= table.width
  if (isFull && table.width === 1) return { type: 'busy' }
  // Looked at only if something went wrong: lists can be long.
  const isOpenTask = (id: TaskId) => open.some(t => t.id === id)
  const failed = givenUp(state).filter(({ task }) => isOpenTask(task))
  // Where the agent did nothing else well, it would fail at the other tasks too.
  const everywhere = failed.find(({ elsewhere }) => !elsewhere)
  const limit = everywhere
    ? { result: everywhere.result, why: stopsLoop(everywhere) }
    : reached(state, agentsIn(state), worked)
  // What ralph does itself costs nothing: work that was paid for is merged.
  const mayEnter = (name: StageName) => {
    const stage = table.stages[name]
    const mayWork = (limit === null && !isFull) || stage?.by === 'ralph'
    return mayWork && !(stage?.alone && flying.some(f => table.stages[f.stage]?.alone === stage.alone))
  }

  const isGivenUp = (id: TaskId) => failed.some(({ task }) => task === id)
  const waiting = pausing(state, now).filter(([id]) => isOpenTask(id) && !isGivenUp(id))
  const pause = () =>
    whenLanded({
      type: 'wait',
      until: Math.min(...waiting.map(([, until]) => until)),
      why: 'after a failure',
    })
  const left = new Set([...flying.map(f => f.task), ...waiting.map(([id]) => id), ...failed.map(f => f.task)])
  const isDone = (id: TaskId) => done.has(id)
  const isReady = (t: Task) => !left.has(t.id) && mayEnter(stageOf(table, state, t)) && isMet(t, isDone)
  const task = mostUrgent(table, state, open.filter(isReady))
  if (!task && isFull) return { type: 'busy' }
  if (!task && limit) return finish(limit.result, limit.why)
  if (!task && waiting.length > 0) return pause()
  if (!task && failed.length > 0) return finish(failed[0]!.result, explainFailed(failed))
  if (!task) return finish('blocked', explainBlocked(table, state, tasks))

  const stage = stageOf(table, state, task)
  if (table.stages[stage]?.by === 'ralph') return { type: 'work', task, stage, agent: null }
  // A task that waits keeps its place among those in flight.
  if (waiting.length > 0 && agentsAmong(table, flying) + waiting.length >= table.width) return pause()

  const all = agentsFor(stage)
  const agents = all.filter(a => state.unusable[a] === undefined)
  if (agents.length === 0) return finish('unusable', explainUnusable(state, all))
  const agent = agents.find(a => (state.until[a] ?? 0) <= now || isSetBack(state, now))
  if (agent !== undefined) return { type: 'work', task, stage, agent }
  const { until, why } = waitFor(state, agents, now, worked)
  return until === null ? finish('limited', why) : whenLanded({ type: 'wait', until, why })
}

/** How many places are taken. What ralph does itself takes none, except where one thing follows another. */
const agentsAmong = ({ width }: StageTable, flying: readonly Step[]): number =>
  width === 1 ? flying.length : flying.filter(({ agent }) => agent !== null).length

/** By stage, then priority, then position in the list. */
function mostUrgent(table: StageTable, state: RunState, ready: readonly Task[]): Task | undefined {
  const rank = (task: Task) => table.order?.indexOf(stageOf(table, state, task)) ?? 0
  return ready.toSorted((a, b) => rank(a) - rank(b) || (a.priority ?? 0) - (b.priority ?? 0))[0]
}

/** How a run came to be complete. A single task is the run itself; of several, those that nothing verified are named. */
function whyDone(table: StageTable, state: RunState, tasks: readonly Task[]): string {
  const states = tasks
    .filter(t => isShown(t, table))
    .map(t => ({ ...taskStateOf(table, state, t), id: t.id }))
  if (tasks.length === 1) return states[0]!.why || 'complete'
  const unproven = states.filter(({ proof }) => !proof)
  const isSameForAll = unproven.length === states.length && unproven.every(({ why }) => why === '')
  if (unproven.length === 0 || isSameForAll) return 'complete'
  return firstOf(unproven.map(({ id, why }) => `${id}: ${why || 'nothing verified it'}`))
}

/** Why green checks prove nothing, in one sentence; '' if nothing casts doubt on them. */
const explainDoubts = ({ doubts }: RunState): string =>
  Object.values(doubts)
    .flat()
    .map(({ check, doubts = [] }) => `${check}: ${firstOf(doubts, 2)}`)
    .join('; ')

const stopsLoop = ({ result, why }: GivenUp): string =>
  result === 'failures' ? `${why}, stopping loop` : why

const explainFailed = (failed: readonly GivenUp[]): string =>
  firstOf(failed.map(({ task, why }) => `${task}: ${why}`))

const explainUnusable = ({ unusable }: RunState, agents: readonly AgentName[]): string =>
  agents.map(a => `${a} cannot be used: ${unusable[a]}`).join('; ')

/** What waits for what, in one sentence. */
function explainBlocked(table: StageTable, state: RunState, tasks: readonly Task[]): string {
  const known = new Map(tasks.map(t => [t.id, taskStateOf(table, state, t)]))
  const isDone = (id: TaskId) => known.get(id)?.stage === 'done'
  const stuck = tasks.filter(t => !isDone(t.id))
  const whyBlocked = (t: Task) => known.get(t.id)!.why || 'blocked'
  const explain = (t: Task) => {
    if (known.get(t.id)?.stage === 'blocked') return `${t.id}: ${whyBlocked(t).replace(/\.$/, '')}`
    return `${t.id} waits for ${unmet(t, isDone)
      .map(b => (known.has(b) ? b : `${b}, which does not exist`))
      .join(', ')}`
  }
  // A single blocked task is the run itself: its name would say nothing.
  const only = tasks.length === 1 ? stuck[0] : undefined
  if (only && known.get(only.id)?.stage === 'blocked') return whyBlocked(only)
  const cycle = findCycle(stuck.map(t => ({ ...t, blockedBy: unmet(t, isDone) })))
  const round = cycle === null ? '' : `; ${cycle.join(' → ')} is a cycle`
  return atMost(stuck.map(explain), 5, more => `and ${more} more`).join('; ') + round
}

/** The first of a list, and how many more there are. */
const firstOf = (all: readonly string[], most = 5): string =>
  atMost(all, most, more => `and ${more} more`).join('; ')
