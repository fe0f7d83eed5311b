import type { Planned } from './rules/planned.ts'

/** Somebody at the terminal who decides about a plan. Throws NoAnswer when nobody is left to answer. */
export interface Person {
  /** Which text the plan is made from: one of the two, or one of their own. */
  chooseGoal(original: string, refined: string): Promise<string>
  judgePlan(plan: Planned): Promise<Judgement>
}

export type Judgement =
  | { type: 'accept'; plan: Planned }
  /** The planner is to make another plan of this one, as these words say. */
  | { type: 'again'; words: string; plan: Planned }
