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
  const { current_iteration: n, max_iterations: most, last_iteration_started: last } = state
  const known = isAtWork ? lookAtAgent(events, env) : null
  const rows: Row[] = [
    ['Status', phase],
    ['Iteration', `${n}${most === null ? '' : `/${most}`}`],
    ['Started', localTime(events[0]?.at ?? record.spawned)],
    ['Current iteration started', last && localTime(Date.parse(last))],
    ['Consecutive failures', String(state.consecutive_failures)],
    ['Total failures', String(state.total_failures)],
    ...runRows(registry, found, now),
    ['Now', known?.doing && plainLine(known.doing)],
    ['Known by', known?.by ?? 'journal'],
    ['Run', `${record.run} in ${plainLine(record.project, 1000)}`],
    ['Window', record.window],
  ]
  const shown = rows.flatMap(([title, value]) => (value ? [`${title}: ${value}`] : []))
  return [`Ralph Loop: ${record.name}`, ...shown]
}

/** What is shown under a title, if it is known. */
type Row = [title: string, value: string | null | undefined]

function runRows(registry: Registry, { record, events, isAtWork, phase }: WorkerLook, now: number): Row[] {
  const began = events[0]
  if (began?.type !== 'began') return []
  const workflow = registry.get(began.workflow)
  const spec = workflow?.readSpec(began.pins)
  const loop = spec && workflow?.loop?.(spec)
  const status = statusOf(registry, events, isAtWork, now)
  const task = status.tasks?.active
  const { flight, spent } = fold(events).state
  const isOver = phase !== 'running' && phase !== 'starting'
  return [
    ['Inactivity timeout', spec && `${inactivityOf(record, spec)}s`],
    ['Done pattern', loop?.donePattern && plainLine(loop.donePattern)],
    ['Task', task && plainLine(task)],
    ['Cost', `${costRow(status, Object.keys(flight).length)} · ${formatCount(spent.tokens)} tokens`],
    [isOver ? 'Reason' : 'Last', plainLine(status.last)],
    ['Go on', isOver ? status.goOn?.replace(record.run, record.name) : null],
  ]
}

const localTime = (at: number): string => {
  const date = new Date(at - new Date(at).getTimezoneOffset() * 60_000)
  return date.toISOString().slice(0, 19).replace('T', ' ')
}
