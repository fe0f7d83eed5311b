import { fold } from '../core/evolve.ts'
import { formatCount } from '../core/format.ts'
import { ralphHome } from '../runs/find.ts'
import type { Io } from '../runs/io.ts'
import { statusOf } from '../runs/status.ts'
import { costRow } from '../view/report/spent.ts'
import { plainLine } from '../view/text/plain.ts'
import type { Registry } from '../workflows/index.ts'
import { lookAtAgent } from './agent-look.ts'
import { workerNamed } from './folder.ts'
import { inactivityOf } from './frontend.ts'
import { lookAtWorker, type WorkerLook } from './look.ts'

/** `ralph status` of a worker. */
export function showWorker(registry: Registry, name: string, { stdout, env }: Io): number {
  const home = ralphHome(env)
  const found = lookAtWorker(home, workerNamed(home, name))
  stdout.write(`${workerLines(registry, found, Date.now(), env).join('\n')}\n`)
  return 0
}

function workerLines(registry: Registry, found: WorkerLook, now: number, env: NodeJS.ProcessEnv): string[] {
  const { record, phase, isAtWork, events, state } = found
  const rows: [string, string][] = [
    ['Status', phase],
    [
      'Iteration',
      `${state.current_iteration}${state.max_iterations === null ? '' : `/${state.max_iterations}`}`,
    ],
    ['Started', localTime(events[0]?.at ?? record.spawned)],
  ]
  if (state.last_iteration_started !== null)
    rows.push(['Current iteration started', localTime(Date.parse(state.last_iteration_started))])
  rows.push(
    ['Consecutive failures', String(state.consecutive_failures)],
    ['Total failures', String(state.total_failures)],
  )
  if (events.length > 0) rows.push(...runRows(registry, found, now))
  const known = isAtWork ? lookAtAgent(events, env) : null
  rows.push(
    ...(known?.doing ? ([['Now', plainLine(known.doing)]] as [string, string][]) : []),
    ['Known by', known?.by ?? 'journal'],
    ['Run', `${record.run} in ${plainLine(record.project, 1000)}`],
    ...(record.window === null ? [] : ([['Window', record.window]] as [string, string][])),
  )
  return [`Ralph Loop: ${record.name}`, ...rows.map(([title, value]) => `${title}: ${value}`)]
}

function runRows(
  registry: Registry,
  { record, events, isAtWork, phase }: WorkerLook,
  now: number,
): [string, string][] {
  const began = events[0]
  if (began?.type !== 'began') return []
  const workflow = registry.get(began.workflow)
  const spec = workflow?.readSpec(began.pins)
  const loop = spec && workflow?.loop?.(spec)
  const status = statusOf(registry, events, isAtWork, now)
  const task = status.tasks?.active ?? null
  const { flight, spent } = fold(events).state
  const isOver = phase !== 'running' && phase !== 'starting'
  return [
    ...(spec ? ([['Inactivity timeout', `${inactivityOf(record, spec)}s`]] as [string, string][]) : []),
    ...(loop?.donePattern ? ([['Done pattern', plainLine(loop.donePattern)]] as [string, string][]) : []),
    ...(task === null ? [] : ([['Task', plainLine(task)]] as [string, string][])),
    ['Cost', `${costRow(status, Object.keys(flight).length)} · ${formatCount(spent.tokens)} tokens`],
    [isOver ? 'Reason' : 'Last', plainLine(status.last)],
    ...(status.goOn === null || !isOver
      ? []
      : ([['Go on', status.goOn.replace(record.run, record.name)]] as [string, string][])),
  ]
}

const localTime = (at: number): string => {
  const date = new Date(at - new Date(at).getTimezoneOffset() * 60_000)
  return date.toISOString().slice(0, 19).replace('T', ' ')
}
