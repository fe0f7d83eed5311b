import type { RunEvent } from '../core/events.ts'
import { fold } from '../core/evolve.ts'
import { firstLine, formatCount, formatDuration } from '../core/format.ts'
import type { RunState, StageTable } from '../core/table.ts'
import type { Task } from '../core/task.ts'
import { blockedTasks, projectTodo } from '../core/todo.ts'
import { failuresInRow } from '../core/trouble/streaks.ts'
import { printableLine, safeJson } from '../core/visible.ts'
import { heldElsewhere } from '../store/lock.ts'
import {
  askedByPins,
  endingOf,
  formatEndingAsAsked,
  limitedAt,
  type Phase,
  resumeCommand,
  runPhase,
  waitTimes,
} from '../view/report/ending.ts'
import { iterationsOf } from '../view/report/iterations.ts'
import { type AskedFor, formatSender, requestsIn } from '../view/report/requests.ts'
import { formatCost, spentOn } from '../view/report/spent.ts'
import { wrapTo } from '../view/text/fit.ts'
import { asCheck, plainLine } from '../view/text/plain.ts'
import { table } from '../view/text/table.ts'
import { clockTime } from '../view/time.ts'
import { type Registry, traitsIn } from '../workflows/index.ts'
import { ralphHome } from './find.ts'
import type { Io } from './io.ts'
import { hostOf, isLive } from './live.ts'
import { chooseRun } from './past-run.ts'

type Elsewhere = { pid: number; host: string; lock: string }

export type RunStatus = {
  id: string
  project: string
  phase: Phase
  pid: number | null
  /** The process that hosts it on another machine, by what this lock says. */
  elsewhere: Elsewhere | null
  iteration: number
  iterations: number | null
  began: number
  lastEvent: number
  /** The agent that works, or worked last. Null if none has yet. */
  agent: string | null
  /** Agents that are rate-limited, and until when. */
  limited: Record<string, number>
  /** Until when a waiting run waits. */
  until: number | null
  failures: number
  /** What it cost. Null if no agent reported that. `unpriced`: the number of calls that did not. */
  usd: number | null
  /** Some of it was estimated from tokens and list prices. */
  estimated?: true
  unpriced: number
  tokens: number
  /** The progress of the task list. Null if there is none. */
  tasks: { completed: number; all: number; active: string | null; blocked: Record<string, string> } | null
  /** The result of the last settled iteration, or how the run ended. */
  last: string
  /** What was asked of the run last, and by whom. Null if nothing was yet. */
  asked: AskedFor | null
  /** The command that continues the run. Null if there is nothing left to do. */
  goOn: string | null
}

/** The status of a run, from its journal and from whether a process hosts it: `live` here, or `holder` elsewhere. */
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
  const ending = endingOf(events, live)
  const settled = events.findLast(e => e.type === 'settled')
  const limited = limitedAt(state, now)
  const waits = waitTimes(state, now)
  const elsewhere = ending.type === 'open' ? holder : null
  const phase = runPhase(events, state, live || elsewhere !== null, now)
  const iterations = iterationsOf(events)
  const traits = traitsIn(registry, began.workflow)
  const last =
    ending.type !== 'open'
      ? formatEndingAsAsked({ ending, iterations }, askedByPins(began.pins, traits)).text
      : settled
        ? [settled.move ?? settled.end, firstLine(settled.note)].filter(Boolean).join(': ')
        : 'no iteration has finished yet'
  const spent = spentOn(iterations)
  return {
    id: began.id,
    project: began.project,
    phase,
    pid: live ? (hostOf({ events })?.pid ?? null) : null,
    elsewhere,
    iteration: iterationOf(events),
    iterations: state.limits.iterations,
    began: began.at,
    lastEvent: events.at(-1)!.at,
    agent: lastStarted(events)?.agent ?? null,
    limited: live ? limited : {},
    until: phase === 'waiting' ? Math.min(...waits) : null,
    failures: failuresInRow(state),
    usd: spent.usd,
    ...(spent.estimated && { estimated: true }),
    unpriced: spent.unpriced,
    tokens: state.spent.tokens,
    tasks: workflow?.listed
      ? taskProgress(tasks, state, workflow.table(workflow.readSpec(began.pins)))
      : null,
    last,
    asked: requestsIn(events).at(-1) ?? null,
    goOn: elsewhere ? null : resumeCommand(events, traits, ending, spent, { state, tasks }),
  }
}

/**
 * The iteration that is under way, or was last: one that was interrupted has a number, although it does not count. A merge
 * is none.
 */
export const iterationOf = (events: readonly RunEvent[]): number => lastStarted(events)?.n ?? 0

const lastStarted = (events: readonly RunEvent[]) =>
  events.findLast(e => e.type === 'started' && e.agent !== null) as Started | undefined

type Started = Extract<RunEvent, { type: 'started' }>

function taskProgress(tasks: readonly Task[], state: RunState, table: StageTable): RunStatus['tasks'] {
  const items = projectTodo(tasks, state, table)
  const active = items.find(item => item.status === 'in_progress')
  return {
    completed: items.filter(item => item.status === 'completed').length,
    all: items.length,
    active: active ? `${active.id} ${active.activeForm}` : null,
    blocked: Object.fromEntries(blockedTasks(tasks, state, table)),
  }
}

/** A fact and its name. Null if there is nothing to show. */
type Row = [name: string, value: string | null]

function listRows(list: RunStatus['tasks']): Row[] {
  if (list === null) return []
  return [
    ['tasks', list.all === 0 ? 'not planned yet' : `${list.completed} of ${list.all} completed`],
    ['now', list.active && plainLine(list.active)],
    ...Object.entries(list.blocked).map(([id, why]): Row => ['blocked', plainLine(`${id}: ${asCheck(why)}`)]),
  ]
}

/** 0 if the clock was set back since. */
const formatAge = (at: number, now: number): string => formatDuration(Math.max(now - at, 0))

function formatPhase({ phase, pid, elsewhere }: RunStatus): string {
  if (elsewhere)
    return `${phase} (pid ${elsewhere.pid} on ${plainLine(elsewhere.host)}, as far as ralph knows)`
  return pid === null ? phase : `${phase} (pid ${pid})`
}

/** `columns`: of a terminal. Null if lines may be as long as they are. */
export function statusLines(status: RunStatus, now: number, columns: number | null = null): string[] {
  const of = status.iterations === null ? '' : ` of ${status.iterations}`
  const { id, until, elsewhere, agent, asked } = status
  const rows: Row[] = [
    ['project', status.project],
    ['status', formatPhase(status)],
    [
      'lock',
      elsewhere && `if nothing runs on ${plainLine(elsewhere.host)} any more, remove ${elsewhere.lock}`,
    ],
    ['waits', until === null ? null : `until ${clockTime(until, now)}; to try now: ralph resume ${id}`],
    ['iteration', `${status.iteration}${of}`],
    ...listRows(status.tasks),
    ['agent', agent && plainLine(agent)],
    ...Object.entries(status.limited).map(
      ([agent, until]): Row => ['limited', `${plainLine(agent)} until ${clockTime(until, now)}`],
    ),
    ['began', `${formatAge(status.began, now)} ago; last event ${formatAge(status.lastEvent, now)} ago`],
    ['failures', `${status.failures} in a row`],
    ['spent', `${formatCost(status)} · ${formatCount(status.tokens)} tokens, as reported by the agent`],
    ['last', plainLine(status.last)],
    ['asked', asked && `${asked.what}, ${formatSender(asked.from)}, ${formatAge(asked.at, now)} ago`],
    ['go on', status.goOn],
  ]
  return [
    `run ${id}`,
    ...table(
      rows.flatMap(([name, value]) => (value === null ? [] : [[name, printableLine(value)]])),
      {
        width: columns ?? undefined,
        margin: '  ',
        least: [9],
        room: 24,
        wrap: (text, room) => wrapTo(text, room, 0),
      },
    ),
  ]
}

export type StatusOptions = { projectDir?: string; json?: boolean }

export function showStatus(
  registry: Registry,
  name: string | undefined,
  options: StatusOptions,
  { stdout, env }: Io,
): number {
  const home = ralphHome(env)
  const run = chooseRun(name, options.projectDir, env)
  const now = Date.now()
  const status = statusOf(registry, run.events, isLive(run), now, heldElsewhere(home, run.id))
  const details = registry.get(run.began.workflow)?.details?.(run.events)
  const width = stdout.isTTY ? stdout.columns || 80 : null
  const more = details?.lines.map(line => plainLine(line)) ?? []
  stdout.write(
    options.json
      ? `${safeJson({ ...status, ...(details && { details: details.data }) })}\n`
      : `${[...statusLines(status, now, width), ...more].join('\n')}\n`,
  )
  return 0
}
