import type { RunEvent } from '../../core/events.ts'
import { type Ending, endingOf, resumeCommand } from './ending.ts'
import { type Iteration, iterationsOf } from './iterations.ts'
import { type Left, leftOf } from './left.ts'
import { type Spent, spentOn } from './spent.ts'
import { type Times, timesOf } from './times.ts'

/** What a run did and what it cost, told from its journal alone. Times are ms, moments ms since the epoch. */
export type Receipt = {
  id: string
  project: string
  workflow: string
  /** Those that worked, in the order of their first iteration. */
  agents: string[]
  times: Times
  ending: Ending
  iterations: Iteration[]
  totals: Spent & {
    /** Iterations that count; those that were limited or cut off do not. */
    counted: number
    uncounted: number
  }
  warnings: { note: string; times: number }[]
  /** Tasks that are not done. */
  left: Left[]
  /** The command that goes on; null where there is none that would get any further. */
  resume: string | null
}

/** Folds a journal. It must begin with the run; how far it goes does not matter. */
export function receiptOf(events: readonly RunEvent[]): Receipt {
  const began = events[0]
  if (began?.type !== 'began') throw new Error('a journal begins with its run')
  const { id, project, workflow } = began
  const iterations = iterationsOf(events)
  const counted = iterations.filter(i => i.counted).length
  const totals = { ...spentOn(iterations), counted, uncounted: iterations.length - counted }
  const ending = endingOf(events)
  return {
    id,
    project,
    workflow,
    agents: [...new Set(iterations.flatMap(i => i.agent ?? []))],
    times: timesOf(events),
    ending,
    iterations,
    totals,
    warnings: warningsIn(events),
    left: leftOf(events),
    resume: resumeCommand(events, ending, totals),
  }
}

/** Each once: what is wrong in every iteration is said in every iteration. */
function warningsIn(events: readonly RunEvent[]): Receipt['warnings'] {
  const times = new Map<string, number>()
  for (const event of events)
    if (event.type === 'warned') times.set(event.note, (times.get(event.note) ?? 0) + 1)
  return [...times].map(([note, times]) => ({ note, times }))
}
