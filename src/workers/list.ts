import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { RunEvent } from '../core/events.ts'
import { fold } from '../core/evolve.ts'
import { formatDuration } from '../core/format.ts'
import { visibleJson } from '../core/visible.ts'
import { findRun, ralphHome, type StoredRun } from '../runs/find.ts'
import type { Io } from '../runs/io.ts'
import { hostOf, isLive } from '../runs/live.ts'
import { phaseOf as runPhase } from '../runs/status.ts'
import { allWorkers, type WorkerRecord } from '../runs/worker-record.ts'
import { plainLine } from '../view/plain.ts'
import { formatCost } from '../view/report/format.ts'
import { iterationsOf } from '../view/report/iterations.ts'
import { spentOn } from '../view/report/spent.ts'
import { lookAt } from './look.ts'

export type ListOptions = { format: 'table' | 'json' | 'names' }

/** A worker, or a run in somebody's terminal, as `ralph ls` shows it. */
type Listed = {
  name: string
  run: string
  status: string
  /** What the status is known by. */
  known_by: string
  pid: number | null
  project: string
  command: string
  tmux: string | null
  iteration: number
  max_iterations: number | null
  started: string
  cost_usd: number | null
  cost: string
  metadata: { ralph: true; ralph_iteration: number; worker: boolean }
}

/** What runs here: the workers, and the runs that some terminal hosts. */
export function listRuns(options: ListOptions, { stdout, env }: Io): number {
  const home = ralphHome(env)
  const workers = allWorkers(home)
  const theirs = new Set(workers.map(({ run }) => run))
  const all = [
    ...workers.map(record => listedWorker(home, record)),
    ...liveRuns(home)
      .filter(({ id }) => !theirs.has(id))
      .map(listedRun),
  ]
  const print = (lines: string[]) => void (lines.length > 0 && stdout.write(`${lines.join('\n')}\n`))
  if (options.format === 'names') print(all.map(({ name }) => name))
  else if (options.format === 'json')
    print([
      visibleJson(
        JSON.stringify(
          all.map(({ cost: _, ...one }) => one),
          null,
          2,
        ),
      ),
    ])
  else
    print(
      all.length === 0
        ? ['nothing runs here; start a worker with: ralph spawn -f PROMPT.md']
        : table(all, Date.now()),
    )
  return 0
}

function listedWorker(home: string, record: WorkerRecord): Listed {
  const { phase, events, isAtWork, state } = lookAt(home, record)
  return {
    ...ofEvents(events),
    name: record.name,
    run: record.run,
    status: phase,
    known_by: isAtWork ? knownBy(record, events) : 'journal',
    pid: isAtWork ? (record.supervisor?.pid ?? null) : null,
    project: record.project,
    command: record.command,
    tmux: record.window,
    started: new Date(record.spawned).toISOString(),
    metadata: { ralph: true, ralph_iteration: state.current_iteration, worker: true },
  }
}

/** While an agent is at work: what tells about it. Otherwise the supervisor's own process does. */
export const knownBy = ({ watched }: Pick<WorkerRecord, 'watched'>, events: readonly RunEvent[]): string =>
  Object.keys(fold(events).state.flight).length > 0 ? watched : 'process'

function listedRun(run: StoredRun): Listed {
  const { state } = fold(run.events)
  const facts = ofEvents(run.events)
  return {
    ...facts,
    name: run.id,
    run: run.id,
    status: runPhase(run.events, state, true, Date.now()),
    known_by: knownBy({ watched: 'stream' }, run.events),
    pid: hostOf(run)?.pid ?? null,
    project: run.began.project,
    command: run.began.workflow,
    tmux: null,
    started: new Date(run.began.at).toISOString(),
    metadata: { ralph: true, ralph_iteration: facts.iteration, worker: false },
  }
}

function ofEvents(
  events: readonly RunEvent[],
): Pick<Listed, 'iteration' | 'max_iterations' | 'cost_usd' | 'cost'> {
  const { state } = fold(events)
  const spent = spentOn(iterationsOf(events))
  return {
    iteration: Object.values(state.flight)[0]?.n ?? state.n,
    max_iterations: events.length === 0 ? null : state.limits.iterations,
    cost_usd: spent.usd,
    cost: formatCost(spent),
  }
}

/** The runs that a process hosts: each holds a lock, so not every journal is read. */
function liveRuns(home: string): StoredRun[] {
  const locks = join(home, 'locks')
  if (!existsSync(locks)) return []
  return readdirSync(locks).flatMap(file => {
    const id = /^run-(.*)\.json$/.exec(file)?.[1]
    if (id === undefined) return []
    try {
      const run = findRun(home, id)
      return isLive(run) ? [run] : []
    } catch {
      return []
    }
  })
}

const HEAD = ['NAME', 'STATUS', 'ITERATION', 'COST', 'AGE', 'BY', 'PROJECT']

function table(all: readonly Listed[], now: number): string[] {
  const rows = all.map(one => [
    one.name,
    one.status,
    `${one.iteration}${one.max_iterations === null ? '' : `/${one.max_iterations}`}`,
    one.cost,
    formatDuration(Math.max(now - Date.parse(one.started), 0)),
    one.known_by,
    plainLine(one.project, 1000),
  ])
  const widths = HEAD.map((_, at) => Math.max(...[HEAD, ...rows].map(row => row[at]!.length)))
  return [HEAD, ...rows].map(row =>
    row
      .map((cell, at) => (at === row.length - 1 ? cell : cell.padEnd(widths[at]!)))
      .join('  ')
      .trimEnd(),
  )
}
