import type { Workflow } from '../../core/workflow.ts'
import { prompt } from '../../core/workflows/prompt.ts'
import { tasks } from '../../core/workflows/tasks.ts'
import type { Plan } from '../plan.ts'
import { type BuildKit, buildTrade } from './build-trade.ts'
import { promptTrade } from './prompt-trade.ts'
import type { Trade } from './trade.ts'

/** The table that a plan is worked off by. */
export function workflowOf(plan: Plan): Workflow {
  switch (plan.workflow) {
    case 'prompt':
      return prompt()
    case 'tasks':
      return tasks({ bugs: plan.settings.maxBugFixes })
    default:
      return plan satisfies never
  }
}

export type Kit = Omit<BuildKit, 'plan' | 'workflow'> & { workflow: Workflow }

/** What the plan's workflow adds to a run. */
export const tradeOf = (plan: Plan, kit: Kit): Trade =>
  plan.workflow === 'prompt' ? promptTrade(plan, kit.limits) : buildTrade({ ...kit, plan })
