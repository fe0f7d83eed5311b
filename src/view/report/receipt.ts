import type { RunEvent } from '../../core/events.ts'
import { type Folded, fold } from '../../core/evolve.ts'
import { redactAll } from '../../core/secrets.ts'
import type { StageTable } from '../../core/table.ts'
import type { TaskId } from '../../core/task.ts'
import { type Asked, askedByPins, endingOf, type RunEnding, resumeCommand, undoneIn } from './ending.ts'
import type { Reviewed } from './format.ts'
import { type Iteration, iterationsOf } from './iterations.ts'
import { type AskedFor, requestsIn } from './requests.ts'
import { type Spent, spentOn } from './spent.ts'
import { type Times, timesOf } from './times.ts'

/** What a run did and what it cost, from its journal alone. Durations are in ms, moments in ms since the epoch. */
export type Receipt = {
  id: string
  project: string
  workflow: string
  command: string
  listed: boolean
  /** The agents that worked, in the order of their first iteration. */
  agents: string[]
  /** The models that they told or were given. */
  models: string[]
  /** What the run works on: the kind of thing, and its name. Null if that is unknown. */
  subject: [kind: string, name: string] | null
  times: Times
  ending: RunEnding
  iterations: Iteration[]
  totals: Spent & {
    /** Iterations that count. Those that were rate-limited or cut off do not. */
    counted: number
    uncounted: number
    /** Different iterations that began, as their headings number them. */
    begun: number
    /** Those among them whose agent has ended and whose checks are still to run. */
    unchecked: number
    /** How many different files were changed. Null if unknown. */
    files: number | null
    /** Of a run that was cut off: how many files differ from its start. Absent if it was not cut off, or if nobody can know. */
    filesInTree?: number
    /** Whether there are more files, which the journal does not name. */
    filesCut: boolean
  }
  /** The user's instructions, and before which iteration they came. Null if none came after. */
  told: { text: string; before: number | null }[]
  /** What was asked of the run from outside, and by whom. */
  requests: AskedFor[]
  /** If the run was undone, the git ref that keeps what it had done. */
  undone: string | null
  warnings: { note: string; times: number }[]
  /** What casts doubt on the green checks, as the run was left. */
  doubts: { check: string; doubts: string[] }[]
  /** Tasks that are not done. */
  left: OpenTask[]
  /** What reviews found outside of their tasks. */
  followUps: { task: string; text: string }[]
  /** How often each story was reviewed; absent: nothing was. */
  reviews?: Reviewed[]
  /** Ralph gc deleted the run: only this receipt is left. */
  deleted?: true
  /** What the run was asked for; absent: to reach its condition. */
  asked?: Asked
  /** The command that continues the run. Null if there is nothing to continue. */
  resume: string | null
}

/** What a receipt needs to know about a workflow. */
export type WorkflowTraits = {
  /** The command that starts it, after `ralph`. */
  command: string
  /** Whether it has a task list. */
  listed: boolean
  /** What a run works on, from what its first event pins. Null if that cannot be read. */
  subjectOf?(pins: Record<string, unknown>): [kind: string, name: string] | null
  /** The command that answers the question of a blocked task. */
  answerCommand?(id: string): string
  /** The commands by which a person decides about a task that is left for them. Absent if no person decides. */
  decideCommands?(run: string, task: string): string[]
  /** How often each task was reviewed. */
  reviewsOf?(pins: Record<string, unknown>, run: Folded): Reviewed[]
  /** What reviews found outside of their tasks. */
  followUpsOf?(events: readonly RunEvent[]): { task: string; text: string }[]
  /** Its stages, from what its first event pins. Null if that cannot be read. */
  tableOf?(pins: Record<string, unknown>): StageTable | null
  /** Whether the run has something to reach, rather than iterations to use up. */
  hasCondition?(pins: Record<string, unknown>): boolean
}

/** Folds a journal. It must begin with `began` and may end anywhere. `live`: a process hosts the run. */
export function receiptOf(events: readonly RunEvent[], traits: WorkflowTraits, live = false): Receipt {
  const began = events[0]
  if (began?.type !== 'began') throw new Error('a journal must begin with the event `began`')
  const { id, project, workflow } = began
  const iterations = iterationsOf(events)
  // What ralph did itself is in the list, but is no iteration.
  const worked = iterations.filter(i => i.agent !== null)
  const counted = worked.filter(i => i.counted).length
  const totals = {
    ...spentOn(iterations),
    counted,
    uncounted: worked.length - counted,
    begun: new Set(worked.map(i => i.n)).size,
    unchecked: worked.filter(i => i.unchecked).length,
    ...filesOf(iterations),
  }
  const ending = endingOf(events, live)
  const asked = askedByPins(began.pins, traits)
  const folded = fold(events)
  const reviews = traits.reviewsOf?.(began.pins, folded) ?? []
  return {
    id,
    project,
    workflow,
    command: traits.command,
    listed: traits.listed,
    agents: [...new Set(iterations.flatMap(i => i.agent ?? []))],
    models: modelsIn(began, events),
    times: timesOf(events),
    totals,
    requests: requestsIn(events),
    undone: undoneIn(events),
    ...((asked.once || !asked.condition) && { asked }),
    resume: resumeCommand(events, traits, ending, totals, folded),
    // Commands, errors and instructions may have secrets in them, and a receipt is kept and passed on.
    ...redactAll({
      subject: traits.subjectOf?.(began.pins) ?? null,
      ending,
      iterations,
      told: instructionsIn(events),
      warnings: warningsIn(events),
      doubts: Object.values(folded.state.doubts)
        .flat()
        .map(({ check, doubts = [] }) => ({ check, doubts })),
      left: openTasks(folded, traits.tableOf?.(began.pins) ?? null),
      followUps: traits.followUpsOf?.(events) ?? [],
    }),
    ...(reviews.some(one => one.reviews > 0) && { reviews }),
  }
}

/** Those that agents told, in the order of their calls; if none did, the one that was asked for. */
function modelsIn(began: Extract<RunEvent, { type: 'began' }>, events: readonly RunEvent[]): string[] {
  const told = new Set(events.flatMap(e => (e.type === 'ended' ? (e.model ?? []) : [])))
  if (told.size > 0) return [...told]
  const { model } = (began.pins.agent ?? {}) as { model?: unknown }
  return typeof model === 'string' ? [model] : []
}

/** How many different files were changed, and whether there are more. Null if that is unknown. */
export function filesOf(iterations: readonly Iteration[]): { files: number | null; filesCut: boolean } {
  const known = iterations.flatMap(i => i.files ?? [])
  if (known.length === 0) return { files: null, filesCut: false }
  const paths = new Set(known.flatMap(f => f.paths))
  return { files: paths.size, filesCut: known.some(f => f.count > f.paths.length) }
}

const toldText = ({ text, task }: Extract<RunEvent, { type: 'instructed' }>): string =>
  task === undefined ? text : `${task}: ${text}`

function instructionsIn(events: readonly RunEvent[]): Receipt['told'] {
  const told: Receipt['told'] = []
  for (const event of events) {
    if (event.type === 'instructed') told.push({ text: toldText(event), before: null })
    else if (event.type === 'started') for (const instruction of told) instruction.before ??= event.n
  }
  return told
}

/** Each only once, because the same warning may come in every iteration. */
function warningsIn(events: readonly RunEvent[]): Receipt['warnings'] {
  const times = new Map<string, number>()
  for (const event of events)
    if (event.type === 'warned') times.set(event.note, (times.get(event.note) ?? 0) + 1)
  return [...times].map(([note, times]) => ({ note, times }))
}

/** A task that is not done. */
type OpenTask = {
  id: TaskId
  title: string
  /** Its stage. Null if it was never started. */
  stage: string | null
  /** What its stage is, in words. Absent if the workflow has no such stage, as for `blocked`. */
  doing?: string
  /** Why it is blocked, or ''. */
  why: string
}

/** The tasks that are not done, in the order of the list. `table`: the stages of the run, if they are known. */
function openTasks({ tasks, state }: Folded, table: StageTable | null): OpenTask[] {
  const begun = new Map(Object.values(state.flight).map(({ task, stage }) => [task, stage]))
  return tasks.flatMap(({ id, title }) => {
    const at = Object.hasOwn(state.taskStates, id) ? state.taskStates[id] : undefined
    if (at?.stage === 'done') return []
    const stage = at?.stage ?? begun.get(id) ?? null
    const known = stage === null ? undefined : table?.stages[stage]
    const doing = known && { doing: known.title ?? 'begun' }
    return [{ id, title, stage, ...doing, why: at?.stage === 'blocked' ? at.why : '' }]
  })
}
