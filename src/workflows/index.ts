import { UsageError } from '../core/usage-error.ts'
import type { WorkflowTraits } from '../view/report/receipt.ts'
import { buildWorkflow } from './build/workflow.ts'
import { pipelineWorkflow } from './pipeline/workflow.ts'
import { runWorkflow } from './run/workflow.ts'
import { storiesWorkflow } from './stories/workflow.ts'
import { traitsOf } from './traits.ts'
import type { Workflow } from './workflow.ts'

/** Workflows by the name that they have on disk. */
export type Registry = ReadonlyMap<string, Workflow>

/** The workflows of ralph: the only place that knows them all. */
export const workflows: Registry = new Map(
  [runWorkflow, buildWorkflow, storiesWorkflow, pipelineWorkflow].map(workflow => [
    workflow.name,
    workflow as Workflow,
  ]),
)

/** The workflow of a stored run. A newer ralph may have written a name that this one does not know. */
export function workflowIn(registry: Registry, run: { id: string; began: { workflow: string } }): Workflow {
  const found = registry.get(run.began.workflow)
  if (found) return found
  throw new UsageError(
    `run ${run.id} has the workflow "${run.began.workflow}", which this ralph does not know; update ralph to continue it`,
  )
}

/** What status and reports need to know about a workflow. A run of an unknown workflow is shown without a list. */
export function traitsIn(registry: Registry, name: string): WorkflowTraits {
  const workflow = registry.get(name)
  return workflow ? traitsOf(workflow) : { command: name, listed: false }
}
