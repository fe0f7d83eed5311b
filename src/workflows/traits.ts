import { initial } from '../core/table.ts'
import type { WorkflowTraits } from '../view/report/receipt.ts'
import type { RunSpec } from './spec.ts'
import type { Workflow } from './workflow.ts'

/** What status and reports need to know about a workflow. */
export function traitsOf(workflow: Workflow): WorkflowTraits {
  /** Another ralph may have written the spec, or a test. */
  const ask = <T>(pins: Record<string, unknown>, question: (spec: RunSpec) => T): T | null => {
    try {
      return question(workflow.readSpec(pins))
    } catch {
      return null
    }
  }
  const { command, listed, answerCommand, decideCommands } = workflow
  return {
    command,
    listed,
    ...(answerCommand && { answerCommand }),
    ...(decideCommands && { decideCommands }),
    subjectOf: pins => ask(pins, spec => workflow.describe(spec, initial.limits).subject),
    reviewsOf: (pins, run) => ask(pins, spec => workflow.reviews?.(spec, run) ?? []) ?? [],
    ...(workflow.followUps && { followUpsOf: workflow.followUps }),
    tableOf: pins => ask(pins, spec => workflow.table(spec)),
    hasCondition: pins =>
      ask(pins, spec => workflow.describe(spec, initial.limits).condition !== null) ?? true,
  }
}

/** Whether a run has this workflow, for commands that belong to one workflow. */
export const isOf = ({ name }: Pick<Workflow, 'name'>, { began }: { began: { workflow: string } }): boolean =>
  began.workflow === name
