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
  command: string
  listed: boolean
  /** Those that worked, in the order of their first iteration. */
  agents: string[]
  times: Times
  ending: Ending
  iterations: Iteration[]
  totals: Spent & {
    /** Iterations that count; those that were limited or cut off do not. */
    counted: number
    uncounted: number
    /** Different files that were changed; null where nobody could tell. */
    files: number | null
    /** There are more: not all of them are named in the journal. */
    filesCut: boolean
  }
  /** What the user told it meanwhile, and before which iteration; null if none came after. */
  told: { text: string; before: number | null }[]
  /** The git ref that keeps what the run had done, if that was undone. */
  undone: string | null
  warnings: { note: string; times: number }[]
  /** Tasks that are not done. */
  left: Left[]
  /** The command that goes on; null where there is none that would get any further. */
  resume: string | null
}

/** What a receipt needs to know of a workflow. */
export type WorkflowTraits = {
  /** The command that starts it, after `ralph`. */
  command: string
  /** Whether it has a task list. */
  listed: boolean
  /** The command that answers the question of a blocked task. */
  answerCommand?(id: string): string
}

/** Folds a journal. It must begin with the run; how far it goes does not matter. `live`: somebody is at work on it. */
export function receiptOf(events: readonly RunEvent[], traits: WorkflowTraits, live = false): Receipt {
  const began = events[0]
  if (began?.type !== 'began') throw new Error('a journal begins with its run')
  const { id, project, workflow } = began
  const iterations = iterationsOf(events)
  const counted = iterations.filter(i => i.counted).length
  const totals = {
    ...spentOn(iterations),
    counted,
    uncounted: iterations.length - counted,
    ...filesOf(iterations),
  }
  const ending = endingOf(events, live)
  return {
    id,
    project,
    workflow,
    command: traits.command,
    listed: traits.listed,
    agents: [...new Set(iterations.flatMap(i => i.agent ?? []))],
    times: timesOf(events),
    ending,
    iterations,
    totals,
    told: toldIn(events),
    undone: undoneIn(events),
    warnings: warningsIn(events),
    left: leftOf(events),
    resume: resumeCommand(events, traits, ending, totals),
  }
}

function filesOf(iterations: readonly Iteration[]): { files: number | null; filesCut: boolean } {
  const known = iterations.flatMap(i => i.files ?? [])
  if (known.length === 0) return { files: null, filesCut: false }
  const paths = new Set(known.flatMap(f => f.paths))
  return { files: paths.size, filesCut: known.some(f => f.count > f.paths.length) }
}

function toldIn(events: readonly RunEvent[]): Receipt['told'] {
  const told: Receipt['told'] = []
  for (const event of events) {
    if (event.type === 'told') told.push({ text: event.text, before: null })
    else if (event.type === 'started') for (const word of told) word.before ??= event.n
  }
  return told
}

function undoneIn(events: readonly RunEvent[]): string | null {
  const last = events.findLast(e => e.type === 'undone' || e.type === 'resumed')
  return last?.type === 'undone' ? last.saved : null
}

/** Each once: what is wrong in every iteration is said in every iteration. */
function warningsIn(events: readonly RunEvent[]): Receipt['warnings'] {
  const times = new Map<string, number>()
  for (const event of events)
    if (event.type === 'warned') times.set(event.note, (times.get(event.note) ?? 0) + 1)
  return [...times].map(([note, times]) => ({ note, times }))
}
