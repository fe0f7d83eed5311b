import { join } from 'node:path'
import { NoAnswer } from '../../core/asker.ts'
import type { Finding, RunEvent, Settled } from '../../core/events.ts'
import { CannotGoOn, type Check, type Ports, type Work } from '../../core/ports.ts'
import { type StageName, type Step, type StepId, taskStateOf } from '../../core/table.ts'
import { writeNewFile } from '../../store/files/growing.ts'
import { LIMITS, textAt } from '../../store/files/read.ts'
import type { OpenNotes } from '../shared/notes.ts'
import { instructionsFor } from '../shared/prompt-parts.ts'
import type { Context, Recorder } from '../workflow.ts'
import { askPerson } from './ask-person.ts'
import type { buildNotes } from './notes.ts'
import { PLAN_CHECK, planCheck } from './plan-check.ts'
import { PLAN } from './rules/check-list.ts'
import { decomposePrompt, repairPrompt } from './rules/decompose.ts'
import { type CheckedList, itemsWithDetails, plannedTasks } from './rules/planned.ts'
import { readRefined, refinePrompt } from './rules/refine.ts'
import type { BuildSpec } from './spec.ts'

type Claims = Awaited<ReturnType<Ports['claims']>>

/** Turns a goal into a list: refines it if wanted, then decomposes it. A person may decide about both. */
export interface Planner {
  /** The text that the plan is made from: the refined goal, or the original until there is one. */
  goal(): string
  prompt(work: Work): string
  checks(stage: StageName, step: Step): Check[]
  claims(work: Work, text: string): Promise<Claims>
  /** Skips refining if nobody can be asked about the result; null if there is nothing to skip. */
  skipRefining(): Extract<RunEvent, { type: 'edited' }> | null
  /** From now on the goal is planned. Safe to repeat. */
  apply(settled: Settled, record: Recorder): void
}

const NOT_REFINED =
  'the goal could not be refined: no answer contained a refined goal; it is planned as it is'

const NOBODY_TO_ASK = 'there is no terminal to ask about a refined goal, so ralph plans the goal as it is'

export function createPlanner(context: Context<BuildSpec>, notes: OpenNotes<typeof buildNotes>): Planner {
  const { spec, table, session, user, run, record } = context
  const person = user && askPerson(user)
  const original = spec.goal.text
  const plans = new Map<StepId, CheckedList>()
  const now = () => Date.now()
  const planTask = () => run().tasks.find(task => task.id === PLAN)
  const goal = () => notes.get('goal') ?? original
  const wishes = () => notes.get('wishes') ?? null

  async function ask<T>(id: StepId, what: string, question: () => Promise<T>): Promise<T> {
    record({ type: 'asking', at: now(), id, what })
    try {
      return await question()
    } catch (error) {
      if (!(error instanceof NoAnswer)) throw error
      context.interrupt()
      throw new CannotGoOn('interrupted')
    }
  }

  async function chooseGoal(step: Step, refined: string): Promise<string> {
    if (spec.refine === 'auto') return refined
    if (person) return ask(step.id, 'the refined prompt', () => person.chooseGoal(original, refined))
    record({ type: 'warned', at: now(), note: NOBODY_TO_ASK })
    return original
  }

  const failedPlan = ({ log }: Finding) => ({
    answer: (log && textAt(join(spec.project, log), { limit: LIMITS.text })) || '',
    errors: notes.get('flaws') ?? [],
  })

  return {
    goal,

    prompt({ stage, task, state }) {
      if (stage === 'refine') return refinePrompt(original, instructionsFor(state, task.id))
      const failed = state.taskStates[task.id]?.lastRed.find(
        ({ check, verdict }) => check === PLAN_CHECK && verdict === 'fail',
      )
      return failed
        ? repairPrompt(goal(), failedPlan(failed), instructionsFor(state, task.id), wishes())
        : decomposePrompt(goal(), instructionsFor(state, task.id), wishes())
    },

    checks(stage, step) {
      if (stage === 'refine') return []
      return [
        planCheck({
          answer: step.ended?.result.text ?? '',
          save(answer) {
            const path = join(session.folderOf(step.id), 'answer.txt')
            session.keep(path, entry => writeNewFile(entry, answer))
            return session.shown(path)
          },
          review:
            spec.asks && person
              ? planned => ask(step.id, 'the plan', () => person.reviewPlan(planned))
              : null,
          accept: planned => plans.set(step.id, planned),
          reject: errors => notes.set('flaws', errors),
          again: ({ words, plan: shown }) =>
            notes.set('wishes', {
              list: itemsWithDetails(shown),
              words: [...(wishes()?.words ?? []), words],
            }),
        }),
      ]
    },

    async claims({ stage, step }, text) {
      if (stage === 'decompose') {
        const planned = plans.get(step.id)
        plans.delete(step.id)
        return planned ? { yields: plannedTasks(planned) } : {}
      }
      const refined = readRefined(text)
      if (refined === undefined) return {}
      const chosen = await chooseGoal(step, refined)
      session.logCall({ at: new Date(now()).toISOString(), step: step.id, original, refined, chosen })
      notes.set('goal', chosen)
      return { signal: true, note: chosen }
    },

    skipRefining() {
      const task = planTask()
      if (person || spec.refine !== 'ask' || !task) return null
      const current = taskStateOf(table, run().state, task)
      if (current.stage !== 'refine') return null
      record({ type: 'warned', at: now(), note: NOBODY_TO_ASK })
      return {
        type: 'edited',
        at: now(),
        by: 'ralph',
        list: { change: { [PLAN]: { first: 'decompose' } } },
        state: { [PLAN]: { ...current, stage: 'decompose', tries: 0 } },
      }
    },

    apply({ stage, move }, record) {
      if (stage !== 'refine') return
      if (move === 'spent') record({ type: 'warned', at: now(), note: NOT_REFINED })
      if (move === 'pass')
        record({
          type: 'edited',
          at: now(),
          by: 'ralph',
          list: { change: { [PLAN]: { first: 'decompose' } } },
        })
    },
  }
}
