import type { Finding } from '../../core/events.ts'
import type { Check } from '../../core/ports.ts'
import type { Judgement } from './person.ts'
import { readPlan } from './rules/plan-answer.ts'
import type { Planned } from './rules/planned.ts'

/** The name of the check that a planner's answer must pass. */
export const PLAN_CHECK = 'plan'

/** How the line begins that says where the answer is; no error of it. */
export const KEPT = '(the answer is kept in'

export type PlanDesk = {
  answer: string
  /** Keeps the raw answer, and says where. */
  save(answer: string): string
  /** Asks whoever is there; null where nobody is. */
  judge: ((plan: Planned) => Promise<Judgement>) | null
  /** The plan that counts. */
  accept(plan: Planned): void
  /** A person wants another one: that is no failure of the planner's. */
  again(wish: Extract<Judgement, { type: 'again' }>): void
}

/** Whether the answer is a plan, and one that the person at the terminal wants. */
export const planCheck = ({ answer, save, judge, accept, again }: PlanDesk): Check => ({
  name: PLAN_CHECK,
  async run() {
    const log = save(answer)
    const plan = readPlan(answer)
    if ('errors' in plan) return told('fail', `${plan.errors.join('\n')}\n${KEPT} ${log})`, log)
    const judged: Judgement = judge ? await judge(plan) : { type: 'accept', plan }
    if (judged.type === 'again') {
      again(judged)
      return told('unsure', `The user wants another plan: ${judged.words}`, log)
    }
    accept(judged.plan)
    return told('pass', '', log)
  },
})

const told = (verdict: Finding['verdict'], note: string, log: string): { finding: Finding; exit: null } => ({
  finding: { check: PLAN_CHECK, verdict, note, log },
  exit: null,
})
