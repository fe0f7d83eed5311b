import type { RunEvent } from '../core/events.ts'
import { fold } from '../core/evolve.ts'
import { formatCount, formatDuration } from '../core/format.ts'
import type { Limits, RunState, StageTable } from '../core/table.ts'
import type { Task } from '../core/task.ts'
import { heldTasks, projectTodo } from '../core/todo.ts'
import { plainLine } from '../view/plain.ts'
import { endingOf, resumeCommand } from '../view/report/ending.ts'
import { formatCost, formatEnding } from '../view/report/format.ts'
import { iterationsOf } from '../view/report/iterations.ts'
import { spentOn } from '../view/report/spent.ts'
import { clockTime } from '../view/time.ts'
import { type Registry, traitsIn } from '../workflows/index.ts'

/** `crashed`: nobody sits over it, and nobody said goodbye. */
type Standing = 'running' | 'paused' | 'waiting' | 'stopped' | 'crashed' | 'finished'

type Elsewhere = { pid: number; host: string; lock: string }

export type RunStatus = {
  id: string
  project: string
  standing: Standing
  pid: number | null
  /** Where it is at work, if that is another host; it is only known from this lock. */
  elsewhere: Elsewhere | null
  iteration: number
  iterations: number | null
  began: number
  lastEvent: number
  /** Who is at work, or was last; null if nobody was yet. */
  agent: string | null
  /** Agents that are limited, and until when. */
  limited: Record<string, number>
  /** Until when a waiting run waits. */
  until: number | null
  failures: number
  /** null: no agent told what it cost; `unpriced` calls did not. */
  usd: number | null
  unpriced: number
  tokens: number
  /** How far the list is, of a build or of stories; null: there is none. */
  tasks: { completed: number; all: number; active: string | null; blocked: Record<string, string> } | null
  /** What the last settled iteration came to, or how the run ended. */
  last: string
  /** The command that goes on from here; null if there is nothing left to do. */
  goOn: string | null
}

/** How a run stands, from its journal and whether its process lives, here or, as far as is known, elsewhere. */
export function statusOf(
  registry: Registry,
  events: readonly RunEvent[],
  live: boolean,
  now: number,
  holder: Elsewhere | null = null,
): RunStatus {
  const began = events[0] as Extract<RunEvent, { type: 'began' }>
  const { state, tasks } = fold(events)
  const workflow = registry.get(began.workflow)
  const sitting = events.findLast(e => e.type === 'began' || e.type === 'resumed') as {
    limits: Limits
    by?: { pid: number }
  }
  const ending = events.findLast(e => e.type === 'finished' || e.type === 'stopped' || e.type === 'resumed')
  const settled = events.findLast(e => e.type === 'settled')
  const limited = limitedAt(state, now)
  const waits = waitsOf(state, now)
  const elsewhere = ending?.type === 'finished' || ending?.type === 'stopped' ? null : holder
  const stands = phaseOf(events, state, live || elsewhere !== null, now)
  const last =
    ending && ending.type !== 'resumed'
      ? formatEnding(ending).text
      : settled
        ? [settled.move ?? settled.end, settled.note.split('\n', 1)[0]].filter(Boolean).join(': ')
        : 'no iteration is through yet'
  const spent = spentOn(iterationsOf(events))
  return {
    id: began.id,
    project: began.project,
    standing: stands,
    pid: live ? (sitting.by?.pid ?? null) : null,
    elsewhere,
    iteration: Object.values(state.flight)[0]?.n ?? state.n,
    iterations: sitting.limits.iterations,
    began: began.at,
    lastEvent: events.at(-1)!.at,
    agent: lastAgent(events),
    limited: live ? limited : {},
    until: stands === 'waiting' ? Math.min(...waits) : null,
    failures: state.failures,
    usd: spent.usd,
    unpriced: spent.unpriced,
    tokens: state.spent.tokens,
    tasks: workflow?.listed ? listOf(tasks, state, workflow.table(workflow.readSpec(began.pins))) : null,
    last,
    goOn: elsewhere
      ? null
      : resumeCommand(events, traitsIn(registry, began.workflow), endingOf(events, live), spent),
  }
}

function listOf(tasks: readonly Task[], state: RunState, table: StageTable): RunStatus['tasks'] {
  const items = projectTodo(tasks, state, table)
  const active = items.find(item => item.status === 'in_progress')
  return {
    completed: items.filter(item => item.status === 'completed').length,
    all: items.length,
    active: active ? `${active.id} ${active.activeForm}` : null,
    blocked: Object.fromEntries(heldTasks(tasks, state, table)),
  }
}

/** How a run stands; `atWork`: a process sits over it, here or elsewhere. */
export function phaseOf(
  events: readonly RunEvent[],
  state: RunState,
  atWork: boolean,
  now: number,
): Standing {
  if (atWork) {
    if (state.hold === 'pause') return 'paused'
    return waitsOf(state, now).length > 0 ? 'waiting' : 'running'
  }
  const ending = events.findLast(e => e.type === 'finished' || e.type === 'stopped' || e.type === 'resumed')
  if (ending?.type === 'finished') return 'finished'
  return ending?.type === 'stopped' ? 'stopped' : 'crashed'
}

const limitedAt = (state: RunState, now: number): Record<string, number> =>
  Object.fromEntries(Object.entries(state.until).filter(([, until]) => until > now))

/** Until when it waits. While anything is under way nobody does, though an agent may be limited: another one works. */
function waitsOf(state: RunState, now: number): number[] {
  const isBusy = Object.keys(state.flight).length + Object.keys(state.unapplied).length > 0
  if (isBusy) return []
  return state.notBefore > now ? [state.notBefore] : Object.values(limitedAt(state, now))
}

function listRows(list: RunStatus['tasks']): string[][] {
  if (list === null) return []
  return [
    ['tasks', list.all === 0 ? 'not planned yet' : `${list.completed} of ${list.all} completed`],
    ...(list.active === null ? [] : [['now', plainLine(list.active)]]),
    ...Object.entries(list.blocked).map(([id, why]) => ['blocked', plainLine(`${id}: ${why}`)]),
  ]
}

function lastAgent(events: readonly RunEvent[]): string | null {
  const started = events.findLast(e => e.type === 'started' && e.agent !== null)
  return started?.type === 'started' ? started.agent : null
}

/** Of what is to come by a clock that was set back: nothing. */
const formatAge = (at: number, now: number): string => formatDuration(Math.max(now - at, 0))

function formatPhase({ standing, pid, elsewhere }: RunStatus): string {
  if (elsewhere)
    return `${standing} (pid ${elsewhere.pid} on ${plainLine(elsewhere.host)}, as far as is known here)`
  return pid === null ? standing : `${standing} (pid ${pid})`
}

export function statusLines(status: RunStatus, now: number): string[] {
  const of = status.iterations === null ? '' : ` of ${status.iterations}`
  const rows = [
    ['project', status.project],
    ['status', formatPhase(status)],
    ...(status.elsewhere === null
      ? []
      : [
          [
            'if not',
            `nothing runs on ${plainLine(status.elsewhere.host)} any more: remove ${status.elsewhere.lock}`,
          ],
        ]),
    ...(status.until === null
      ? []
      : [['waits', `until ${clockTime(status.until, now)}; to try now: ralph resume ${status.id}`]]),
    ['iteration', `${status.iteration}${of}`],
    ...listRows(status.tasks),
    ...(status.agent === null ? [] : [['agent', plainLine(status.agent)]]),
    ...Object.entries(status.limited).map(([agent, until]) => [
      'limited',
      `${plainLine(agent)} until ${clockTime(until, now)}`,
    ]),
    ['began', `${formatAge(status.began, now)} ago; last heard of ${formatAge(status.lastEvent, now)} ago`],
    ['failures', `${status.failures} in a row`],
    ['spent', `${formatCost(status)} · ${formatCount(status.tokens)} tokens, as far as the agent tells`],
    ['last', plainLine(status.last)],
    ...(status.goOn === null ? [] : [['go on', status.goOn]]),
  ]
  return [`run ${status.id}`, ...rows.map(([name, value]) => `  ${name!.padEnd(9)}  ${value}`)]
}
