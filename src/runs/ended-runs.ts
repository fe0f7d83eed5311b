import { formatDuration } from '../core/format.ts'
import type { Beginning } from '../store/journal-lines.ts'
import { formatResult } from '../view/report/ending.ts'
import { type Receipt, receiptOf } from '../view/report/receipt.ts'
import { costCell } from '../view/report/spent.ts'
import { plainLine } from '../view/text/plain.ts'
import { type Registry, traitsIn } from '../workflows/index.ts'
import { earlierRunsIn, runsIn } from './find.ts'
import { isLive } from './live.ts'

/** A run that no process hosts, as `ralph ls --all` shows it. */
export type EndedRun = {
  name: string
  run: string
  status: 'ended'
  result: string
  project: string
  /** The command, and what it was given. */
  work: string
  iteration: number
  started: string
  cost_usd: number | null
  cost: string
}

/** The runs of a project that are not at work, the newest first. After them those of an earlier build. */
export const endedRuns = (registry: Registry, home: string, project: string): EndedRun[] => [
  ...runsIn(home, project)
    .filter(run => !isLive(run))
    .reverse()
    .map(({ events, began }) => endedRun(receiptOf(events, traitsIn(registry, began.workflow)))),
  ...earlierRunsIn(home, project).reverse().map(earlierRun),
]

const earlierRun = ({ id, project, at }: Beginning): EndedRun => ({
  name: id,
  run: id,
  status: 'ended',
  result: 'of an earlier build',
  project,
  work: '',
  iteration: 0,
  started: new Date(at).toISOString(),
  cost_usd: null,
  cost: '',
})

function endedRun(receipt: Receipt): EndedRun {
  const { id, project, command, subject, times, totals } = receipt
  return {
    name: id,
    run: id,
    status: 'ended',
    result: formatResult(receipt),
    project,
    work: plainLine(subject ? `${command}: ${subject[1]}` : command),
    iteration: totals.begun,
    started: new Date(times.began).toISOString(),
    cost_usd: totals.usd,
    cost: costCell(totals),
  }
}

const HEAD = ['RUN', 'RESULT', 'ITERATIONS', 'COST', 'BEGAN', 'WORK']

/** A longer list would push what is of interest off the screen. */
const MOST = 20

/** Rows for a table, and how many older runs it leaves out. */
export const endedRows = (runs: readonly EndedRun[], now: number): { rows: string[][]; more: number } => ({
  rows: [
    HEAD,
    ...runs
      .slice(0, MOST)
      .map(({ run, result, iteration, cost, started, work }) => [
        run,
        result,
        String(iteration),
        cost,
        `${formatDuration(Math.max(now - Date.parse(started), 0))} ago`,
        work,
      ]),
  ],
  more: Math.max(runs.length - MOST, 0),
})
