import { join } from 'node:path'
import { NoAnswer } from '../../core/asker.ts'
import type { Finding, RunEvent, Settled } from '../../core/events.ts'
import { CannotGoOn, type Check, type Claims, type Work } from '../../core/ports.ts'
import { type StageName, type Step, type StepId, taskStateOf } from '../../core/table.ts'
import { writeNewFile } from '../../store/files/growing.ts'
import { LIMITS, textAt } from '../../store/files/read.ts'
import type { OpenNotes } from '../shared/notes.ts'
import { instructionsFor } from '../shared/prompt-parts.ts'
import type { Context, Recorder } from '../workflow.ts'
import { askPerson, type Person, type PlanDecision } from './ask-person.ts'
import { PLAN } from './rules/check-list.ts'
import { decomposePrompt, repairPrompt } from './rules/decompose.ts'
import { readPlan } from './rules/plan-answer.ts'
import { type CheckedList, itemsWithDetails, plannedTasks } from './rules/planned.ts'
import { readRefined, refinePrompt } from './rules/refine.ts'
import type { BuildSpec, buildNotes } from './spec.ts'

/** Turns a goal into a list: refines it if wanted, then decomposes it. A person may decide about both. */
export type Planner = {
  context: Context<BuildSpec>
  notes: OpenNotes<typeof buildNotes>
  /** Null if there is nobody to ask. */
  person: Person | null
  /** The accepted plans, by step, until the step's claims are read. */
  plans: Map<StepId, CheckedList>
}

type Edited = Extract<RunEvent, { type: 'edited' }>

const NOT_REFINED =
  'the goal could not be refined: no answer contained a refined goal; it is planned as it is'

const NOBODY_TO_ASK = 'there is no terminal to ask about a refined goal, so ralph plans the goal as it is'

/** The name of the check that a planner's answer must pass. */
const PLAN_CHECK = 'plan'

export const openPlanner = (context: Context<BuildSpec>, notes: OpenNotes<typeof buildNotes>): Planner => ({
  context,
  notes,
  person: context.user && askPerson(context.user),
  plans: new Map(),
})

/** The text that the plan is made from: the refined goal, or the original until there is one. */
export const goalOf = ({ context, notes }: Planner): string => notes.get('goal') ?? context.spec.goal.text

const wishesOf = ({ notes }: Planner) => notes.get('wishes') ?? null

export function planningPrompt(planner: Planner, { stage, task, state }: Work): string {
  const { spec } = planner.context
  const instructions = instructionsFor(state, task.id)
  if (stage === 'refine') return refinePrompt(spec.goal.text, instructions)
  const failed = state.taskStates[task.id]?.lastRed.find(
    ({ check, verdict }) => check === PLAN_CHECK && verdict === 'fail',
  )
  if (!failed) return decomposePrompt(goalOf(planner), instructions, wishesOf(planner))
  const { log } = failed
  const answer = (log && textAt(join(spec.project, log), { limit: LIMITS.text })) || ''
  const errors = planner.notes.get('flaws') ?? []
  return repairPrompt(goalOf(planner), { answer, errors }, instructions, wishesOf(planner))
}

export const planningChecks = (planner: Planner, stage: StageName, step: Step): Check[] =>
  stage === 'refine'
    ? []
    : [
        {
          name: PLAN_CHECK,
          run: async () => ({
            finding: { check: PLAN_CHECK, ...(await judgePlan(planner, step)) },
            exit: null,
          }),
        },
      ]

/** Judges whether the answer is a valid plan, and whether the person at the terminal accepts it. */
async function judgePlan(planner: Planner, step: Step): Promise<Omit<Finding, 'check'>> {
  const { context, notes, person, plans } = planner
  const answer = step.ended?.result.text ?? ''
  const log = saveAnswer(context, step.id, answer)
  const plan = readPlan(answer)
  if ('errors' in plan) {
    notes.set('flaws', plan.errors)
    return { verdict: 'fail', note: `${plan.errors.join('\n')}\n(the answer is kept in ${log})`, log }
  }
  const decision: PlanDecision =
    context.spec.asks && person
      ? await ask(context, step.id, 'the plan', () => person.reviewPlan(plan))
      : { type: 'accept', plan }
  if (decision.type === 'accept') {
    plans.set(step.id, decision.plan)
    return { verdict: 'pass', note: '', log }
  }
  const { words, plan: shown } = decision
  notes.set('wishes', {
    list: itemsWithDetails(shown),
    words: [...(wishesOf(planner)?.words ?? []), words],
  })
  // Another plan is a wish, not a failure of the planner.
  return { verdict: 'unsure', note: `The user wants another plan: ${words}`, log, anew: true }
}

function saveAnswer({ session }: Context, id: StepId, answer: string): string {
  const path = join(session.folderOf(id), 'answer.txt')
  session.keep(path, entry => writeNewFile(entry, answer))
  return session.shown(path)
}

/** Asks the person at the terminal, and stops the run if they went away. */
async function ask<T>(
  { record, interrupt }: Context,
  id: StepId,
  what: string,
  question: () => Promise<T>,
): Promise<T> {
  record({ type: 'asking', at: Date.now(), id, what })
  try {
    return await question()
  } catch (error) {
    if (!(error instanceof NoAnswer)) throw error
    interrupt()
    throw new CannotGoOn('interrupted')
  }
}

export async function planningClaims(planner: Planner, { stage, step }: Work, text: string): Promise<Claims> {
  const { context, notes, plans } = planner
  if (stage === 'decompose') {
    const planned = plans.get(step.id)
    plans.delete(step.id)
    return planned ? { yields: plannedTasks(planned) } : {}
  }
  const refined = readRefined(text)
  if (refined === undefined) return {}
  const chosen = await chooseGoal(planner, step, refined)
  const original = context.spec.goal.text
  context.session.logCall({ at: new Date().toISOString(), step: step.id, original, refined, chosen })
  notes.set('goal', chosen)
  return { signal: true, note: chosen }
}

async function chooseGoal({ context, person }: Planner, step: Step, refined: string): Promise<string> {
  const { spec, record } = context
  const original = spec.goal.text
  if (spec.refine === 'auto') return refined
  if (person) return ask(context, step.id, 'the refined prompt', () => person.chooseGoal(original, refined))
  record({ type: 'warned', at: Date.now(), note: NOBODY_TO_ASK })
  return original
}

/** Skips refining if nobody can be asked about the result. Null if there is nothing to skip. */
export function skipRefining({ context, person }: Planner): Edited | null {
  const { spec, table, run, record } = context
  const task = run().tasks.find(({ id }) => id === PLAN)
  if (person || spec.refine !== 'ask' || !task) return null
  const current = taskStateOf(table, run().state, task)
  if (current.stage !== 'refine') return null
  record({ type: 'warned', at: Date.now(), note: NOBODY_TO_ASK })
  return { ...decomposesFirst(), state: { [PLAN]: { ...current, stage: 'decompose', tries: 0 } } }
}

/** From now on the goal is planned. Safe to repeat. */
export function refiningSettled({ stage, move }: Settled, record: Recorder): void {
  if (stage !== 'refine') return
  if (move === 'spent') record({ type: 'warned', at: Date.now(), note: NOT_REFINED })
  if (move === 'pass') record(decomposesFirst())
}

const decomposesFirst = (): Edited => ({
  type: 'edited',
  at: Date.now(),
  by: 'ralph',
  list: { change: { [PLAN]: { first: 'decompose' } } },
})
