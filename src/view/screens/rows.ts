import { firstLine } from '../../core/format.ts'
import type { Need } from '../morning/model.ts'
import { needsOf } from '../morning/needs.ts'
import {
  askedByPins,
  endedAsAsked,
  endingOf,
  formatEndingAsAsked,
  formatResult,
  runPhase,
  undoneIn,
} from '../report/ending.ts'
import { plainLine } from '../text/plain.ts'
import type { OverviewRow } from './model.ts'
import type { RunFacts } from './run-facts.ts'

/** What is known of a run beside its journal. `worker`: its name, if it has one. */
type Surroundings = { worker: string | null; isAtWork: boolean; now: number }

/** A run as it is at this moment. */
export function rowOf(facts: RunFacts, { worker, isAtWork, now }: Surroundings): OverviewRow {
  const { began, workflow, state, latest, lastEvent } = facts
  const phase = runPhase(latest, state, isAtWork, now)
  const ending = endingOf(latest, isAtWork)
  const name = worker ?? began.id
  return {
    id: began.id,
    name,
    isWorker: worker !== null,
    isAtWork,
    phase,
    status: phase === 'finished' ? formatResult({ ending, undone: undoneIn(latest) }) : phase,
    needs: shownNeeds(facts, { worker, isAtWork, now }),
    command: workflow.command,
    project: began.project,
    at: placeOf(facts),
    agent: facts.agent ?? '',
    began: began.at,
    lastAt: lastEvent.at,
    spent: facts.spent,
    last: plainLine(ending.type === 'open' ? lastOf(facts) : formatEndingOf(facts, isAtWork)),
  }
}

/** How a run ended, in words. */
export const formatEndingOf = (facts: RunFacts, isAtWork: boolean): string =>
  formatEndingAsAsked(
    { ending: endingOf(facts.latest, isAtWork), iterations: facts.iterations },
    askedByPins(facts.began.pins, facts.workflow),
  ).text

/** A run that nobody continued for so long does not belong on top. */
const LONG_AGO = 3 * 24 * 3_600_000

/** Who paused or stopped a run knows it. */
const KNOWN: readonly Need['kind'][] = ['paused', 'stopped']

function shownNeeds(facts: RunFacts, { worker, isAtWork, now }: Surroundings): readonly Need[] {
  const { began, workflow, state, tasks, latest, lastEvent, iterations, spent } = facts
  if (!isAtWork && now - lastEvent.at > LONG_AGO) return []
  const { id: run, project } = began
  const { command, subject } = workflow
  const ending = endingOf(latest, isAtWork)
  const receipt = { ending, undone: undoneIn(latest), iterations: [...iterations], totals: spent }
  const found = needsOf({
    about: { run, name: worker ?? run, project, command, work: subject },
    events: latest,
    tasks,
    state,
    receipt,
    traits: workflow,
    phase: runPhase(latest, state, isAtWork, now),
    isAsAsked: endedAsAsked(receipt, askedByPins(began.pins, workflow)),
    now,
  })
  return (found?.needs ?? []).filter(({ kind }) => !KNOWN.includes(kind))
}

/** Where it is: the task and how many are done, or the iteration. */
function placeOf({ state, workflow, items }: RunFacts): string {
  const [step] = Object.values(state.flight)
  const n = step?.n ?? state.n
  const iteration = `${n}${state.limits.iterations === null ? '' : `/${state.limits.iterations}`}`
  if (!workflow.listed || items.length === 0) return iteration
  const done = items.filter(item => item.status === 'completed').length
  const title = step && items.find(item => item.id === step.task)?.activeForm
  const task = step ? ` ${plainLine(step.task, 20)}${title ? ` ${plainLine(title)}` : ''}` : ''
  return `${done}/${items.length}${task}`
}

/** What an open run did last. */
function lastOf({ latest, state }: RunFacts): string {
  const [step] = Object.values(state.flight)
  if (step?.ended) return 'its checks run'
  const settled = latest.findLast(e => e.type === 'settled')
  if (settled?.type !== 'settled') return step ? 'its first iteration' : 'getting ready'
  return [settled.move ?? settled.end, firstLine(settled.note)].filter(Boolean).join(': ')
}
