import { UsageError } from '../core/usage-error.ts'
import type { WorkflowTraits } from '../view/report/receipt.ts'
import { buildWorkflow } from './build/workflow.ts'
import { promptWorkflow } from './run/workflow.ts'
import { storiesWorkflow } from './stories/workflow.ts'
import type { Workflow } from './workflow.ts'

/** Workflows by the name that is on disk. */
export type Registry = ReadonlyMap<string, Workflow>

/** The workflows of ralph: the only place that knows them all. */
export const workflows: Registry = new Map(
  [promptWorkflow, buildWorkflow, storiesWorkflow].map(workflow => [workflow.name, workflow as Workflow]),
)

/** The workflow of a run that began. A newer ralph may have others. */
export function workflowIn(registry: Registry, run: { id: string; began: { workflow: string } }): Workflow {
  const found = registry.get(run.began.workflow)
  if (found) return found
  throw new UsageError(
    `run ${run.id} has the workflow "${run.began.workflow}", which this ralph does not know; update ralph to go on with it`,
  )
}

/** What the pages about a run need to know of its workflow. One that nobody knows is shown without a list. */
export const traitsIn = (registry: Registry, name: string): WorkflowTraits =>
  registry.get(name) ?? { command: name, listed: false }

/** Whether a run is of this workflow: for the commands that belong to one. */
export const isOf = ({ name }: Pick<Workflow, 'name'>, { began }: { began: { workflow: string } }): boolean =>
  began.workflow === name
