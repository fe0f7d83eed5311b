import type { RunEvent } from '../core/events.ts'
import { fold } from '../core/evolve.ts'
import { formatDuration } from '../core/format.ts'
import { safeJson } from '../core/visible.ts'
import { type EndedRun, endedRows, endedRuns } from '../runs/ended-runs.ts'
import { isOfEarlierBuild, ralphHome, type StoredRun } from '../runs/find.ts'
import { type Io, say, type Writer } from '../runs/io.ts'
import { hostOf, liveRuns } from '../runs/live.ts'
import { projectOf } from '../runs/project.ts'
import { iterationOf } from '../runs/status.ts'
import { allWorkers, type WorkerRecord } from '../runs/worker-record.ts'
import { runPhase } from '../view/report/ending.ts'
import { iterationsOf } from '../view/report/iterations.ts'
import { costCell, spentOn } from '../view/report/spent.ts'
import { plainLine } from '../view/text/plain.ts'
import { table } from '../view/text/table.ts'
import { cutPathTo } from '../view/text/width.ts'
import { workflows } from '../workflows/index.ts'
import { lookAtAgent } from './agent-look.ts'
import { lookAtWorker } from './look.ts'

/** `all`: also what has ended in the project. */
export type ListOptions = { format: 'table' | 'json' | 'names'; all?: boolean; projectDir?: string }

/** A worker, or a run in somebody's terminal, as `ralph ls` shows it. */
type Listed = {
  name: string
  run: string
  status: string
  /** What the status is known by. */
  known_by: string
  /** What its agent does now. Null if nobody can know. */
  doing: string | null
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

/** What runs on this machine: the workers, and the runs that some terminal hosts. With `--all`, also what has ended. */
export function listRuns(options: ListOptions, { stdout, env }: Io): number {
  const home = ralphHome(env)
  const workers = allWorkers(home).filter(({ run }) => !isOfEarlierBuild(home, run))
  const theirs = new Set(workers.map(({ run }) => run))
  const all = [
    ...workers.map(record => listedWorker(home, record, env)),
    ...liveRuns(home)
      .filter(({ id }) => !theirs.has(id))
      .map(run => listedRun(run, env)),
  ]
  const shown = new Set(all.map(({ run }) => run))
  const project = options.all ? projectOf(options.projectDir, env) : ''
  const ended = options.all ? endedRuns(workflows, home, project).filter(({ run }) => !shown.has(run)) : null
  const print = (lines: string[]) => void (lines.length > 0 && stdout.write(`${lines.join('\n')}\n`))
  const both = [...all, ...(ended ?? [])]
  if (options.format === 'names') print(both.map(({ name }) => name))
  else if (options.format === 'json')
    print([
      safeJson(
        both.map(({ cost: _, ...one }) => one),
        2,
      ),
    ])
  else {
    if (all.length > 0) print(columnsFor([HEAD, ...rowsOf(all, Date.now())], stdout))
    else say(stdout, ended === null ? `${NOTHING}; ${WAYS_ON}` : NOTHING)
    if (ended !== null) print(endedLines(ended, project, stdout))
  }
  return 0
}

const NOTHING = 'nothing is running'
const WAYS_ON = 'start a worker with: ralph spawn -f PROMPT.md; see what has ended with: ralph ls --all'

function endedLines(ended: readonly EndedRun[], project: string, stdout: Writer): string[] {
  if (ended.length === 0) return ['', `no run has ended in ${plainLine(project, 1000)}`]
  const { rows, more } = endedRows(ended, Date.now())
  return [
    '',
    ...columnsFor(rows, stdout),
    ...(more > 0 ? [`… and ${more} older; --format json has them all`] : []),
  ]
}

function listedWorker(home: string, record: WorkerRecord, env: NodeJS.ProcessEnv): Listed {
  const { phase, events, isAtWork, state } = lookAtWorker(home, record)
  const known = isAtWork ? lookAtAgent(events, env) : null
  return {
    ...ofEvents(events),
    name: record.name,
    run: record.run,
    status: phase,
    known_by: known?.by ?? 'journal',
    doing: known?.doing ?? null,
    pid: isAtWork ? (record.supervisor?.pid ?? null) : null,
    project: record.project,
    command: record.command,
    tmux: record.window,
    started: new Date(record.spawned).toISOString(),
    metadata: { ralph: true, ralph_iteration: state.current_iteration, worker: true },
  }
}

function listedRun(run: StoredRun, env: NodeJS.ProcessEnv): Listed {
  const { state } = fold(run.events)
  const facts = ofEvents(run.events)
  const { by, doing } = lookAtAgent(run.events, env)
  return {
    ...facts,
    name: run.id,
    run: run.id,
    status: runPhase(run.events, state, true, Date.now()),
    known_by: by,
    doing,
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
    iteration: iterationOf(events),
    max_iterations: events.length === 0 ? null : state.limits.iterations,
    cost_usd: spent.usd,
    cost: costCell(spent, Object.keys(state.flight).length),
  }
}

const HEAD = ['NAME', 'STATUS', 'ITERATION', 'COST', 'AGE', 'PROJECT']

const rowsOf = (all: readonly Listed[], now: number): string[][] =>
  all.map(one => [
    one.name,
    one.status,
    `${one.iteration}${one.max_iterations === null ? '' : `/${one.max_iterations}`}`,
    one.cost,
    formatDuration(Math.max(now - Date.parse(one.started), 0)),
    plainLine(one.project, 1000),
  ])

/** The last column has what is left of a screen. A row stays one row, however narrow the screen is. */
const columnsFor = (rows: readonly string[][], { isTTY, columns }: Writer): string[] =>
  table(rows, { width: isTTY ? columns || 80 : Number.POSITIVE_INFINITY, cut: cutPathTo })
