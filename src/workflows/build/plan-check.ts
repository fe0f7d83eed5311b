import type { Finding } from '../../core/events.ts'
import type { Check } from '../../core/ports.ts'
import type { PlanDecision } from './ask-person.ts'
import { readPlan } from './rules/plan-answer.ts'
import type { CheckedList } from './rules/planned.ts'

/** The name of the check that a planner's answer must pass. */
export const PLAN_CHECK = 'plan'

/** The start of the line that names the saved answer; this line is not an error. */
export const ANSWER_KEPT = '(the answer is kept in'

export type PlanCheckOptions = {
  answer: string
  /** Saves the raw answer and returns its path. */
  save(answer: string): string
  /** Asks the person at the terminal; null if there is none. */
  review: ((plan: CheckedList) => Promise<PlanDecision>) | null
  /** Takes the accepted plan. */
  accept(plan: CheckedList): void
  /** The person asks for another plan, which is not a failure of the planner. */
  again(wish: Extract<PlanDecision, { type: 'again' }>): void
}

/** Checks that the answer is a valid plan, and that the person at the terminal accepts it. */
export const planCheck = ({ answer, save, review, accept, again }: PlanCheckOptions): Check => ({
  name: PLAN_CHECK,
  async run() {
    const log = save(answer)
    const plan = readPlan(answer)
    if ('errors' in plan) return findingOf('fail', `${plan.errors.join('\n')}\n${ANSWER_KEPT} ${log})`, log)
    const decision: PlanDecision = review ? await review(plan) : { type: 'accept', plan }
    if (decision.type === 'again') {
      again(decision)
      return findingOf('unsure', `The user wants another plan: ${decision.words}`, log)
    }
    accept(decision.plan)
    return findingOf('pass', '', log)
  },
})

const findingOf = (
  verdict: Finding['verdict'],
  note: string,
  log: string,
): { finding: Finding; exit: null } => ({
  finding: { check: PLAN_CHECK, verdict, note, log },
  exit: null,
})
