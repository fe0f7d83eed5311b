import type { CheckedList } from './rules/planned.ts'

/** A person at the terminal who decides about a plan. Throws NoAnswer if they went away. */
export interface Person {
  /** The text to make the plan from: one of the two, or an edited one. */
  chooseGoal(original: string, refined: string): Promise<string>
  reviewPlan(plan: CheckedList): Promise<PlanDecision>
}

export type PlanDecision =
  | { type: 'accept'; plan: CheckedList }
  /** The planner must change this plan as these words say. */
  | { type: 'again'; words: string; plan: CheckedList }
