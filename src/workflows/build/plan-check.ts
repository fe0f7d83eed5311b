import type { Finding } from '../../core/events.ts'
import type { Check } from '../../core/ports.ts'
import type { PlanDecision } from './ask-person.ts'
import { readPlan } from './rules/plan-answer.ts'
import type { CheckedList } from './rules/planned.ts'

/** The name of the check that a planner's answer must pass. */
export const PLAN_CHECK = 'plan'

export type PlanCheckOptions = {
  answer: string
  /** Saves the raw answer and returns its path. */
  save(answer: string): string
  /** Asks the person at the terminal; null if there is none. */
  review: ((plan: CheckedList) => Promise<PlanDecision>) | null
  /** Takes the accepted plan. */
  accept(plan: CheckedList): void
  /** The answer cannot be used. */
  reject(errors: string[]): void
  /** The person asks for another plan, which is not a failure of the planner. */
  again(wish: Extract<PlanDecision, { type: 'again' }>): void
}

/** Checks that the answer is a valid plan, and that the person at the terminal accepts it. */
export const planCheck = ({ answer, save, review, accept, reject, again }: PlanCheckOptions): Check => ({
  name: PLAN_CHECK,
  async run() {
    const log = save(answer)
    const plan = readPlan(answer)
    if ('errors' in plan) {
      reject(plan.errors)
      return findingOf({
        verdict: 'fail',
        note: `${plan.errors.join('\n')}\n(the answer is kept in ${log})`,
        log,
      })
    }
    const decision: PlanDecision = review ? await review(plan) : { type: 'accept', plan }
    if (decision.type === 'again') {
      again(decision)
      const note = `The user wants another plan: ${decision.words}`
      return findingOf({ verdict: 'unsure', note, log, anew: true })
    }
    accept(decision.plan)
    return findingOf({ verdict: 'pass', note: '', log })
  },
})

const findingOf = (finding: Omit<Finding, 'check'>): { finding: Finding; exit: null } => ({
  finding: { check: PLAN_CHECK, ...finding },
  exit: null,
})
