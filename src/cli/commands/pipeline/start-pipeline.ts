import { join } from 'node:path'
import { UsageError } from '../../../core/usage-error.ts'
import { verificationCommands } from '../../../core/verification/method.ts'
import { iterationLimit, ownTrees, prepare, startRun } from '../../../host/start.ts'
import type { Io } from '../../../runs/io.ts'
import type { Risk } from '../../../settings/trust.ts'
import { criteriaFor } from '../../../workflows/pipeline/criteria.ts'
import { type PipelineSpec, rolesFrom } from '../../../workflows/pipeline/spec.ts'
import {
  fileTaskStore,
  NO_TASKS,
  TASKS_DIR,
  type TaskStore,
} from '../../../workflows/pipeline/tasks/store.ts'
import { type PipelineTask, taskRules } from '../../../workflows/pipeline/tasks/task.ts'
import { pipelineWorkflow } from '../../../workflows/pipeline/workflow.ts'
import { limitsOf } from '../../../workflows/spec.ts'
import type { PipelineOptions } from '../../verbs/run.ts'
import { readInput } from '../run/start-run.ts'
import { asWorker } from '../spawn/as-worker.ts'
import { withScreen } from '../watch/run-screen.ts'

/** `ralph pipeline`, from its options to the end of the run. */
export async function startPipeline(
  ids: string[],
  typed: PipelineOptions,
  agentCommand: string[],
  io: Io,
): Promise<number> {
  const options = withScreen(asWorker(typed, io, { isParallel: true }), io)
  const prepared = prepare(options, agentCommand)
  const { base } = prepared
  const { project, settings } = base
  const store = fileTaskStore(project, taskRules(settings))
  const tasks = chooseTasks(store, ids, options.spec)
  const roles = rolesFrom(settings, path => readInput(join(project, path), `prompt file ${path}`))
  if (roles.length === 0) throw new UsageError('every role of pipeline.order is skipped; leave at least one')
  const draft = { ...base, ...ownTrees(options, settings), workflow: pipelineWorkflow.name, tasks, roles }
  return startRun(
    pipelineWorkflow,
    { ...prepared, ownRisks: taskRisks({ ...draft, start: null }) },
    draft,
    { ...limitsOf(settings), iterations: iterationLimit(options) ?? null },
    options,
  )
}

/** The tasks that were named, or all that are open. A task that waits for one outside the run cannot be worked on. */
function chooseTasks(store: TaskStore, ids: readonly string[], spec: string | undefined): PipelineTask[] {
  const all = store.list()
  const isOpen = ({ status }: PipelineTask) => ['pending', 'in_progress', 'blocked'].includes(status)
  const chosen =
    ids.length > 0
      ? [...new Set(ids)].map(id => need(all, id))
      : all.filter(task => isOpen(task) && (spec === undefined || task.spec_id === spec))
  if (chosen.length === 0)
    throw new UsageError(
      all.length === 0
        ? NO_TASKS
        : 'no task is open; name one, or open it again with: ralph task edit ID --status pending',
    )
  for (const { id, dependencies } of chosen)
    for (const dependency of dependencies) {
      const other = all.find(task => task.id === dependency)
      if (other?.status === 'completed' || chosen.some(task => task.id === dependency)) continue
      throw new UsageError(
        `${id} waits for ${dependency}, which is ${other?.status ?? 'not there'}; name ${dependency} too, or change ${id}`,
      )
    }
  return chosen
}

function need(all: readonly PipelineTask[], id: string): PipelineTask {
  const found = all.find(task => task.id === id)
  if (!found) throw new UsageError(`there is no task ${id}; ralph task list shows those that are there`)
  if (found.status === 'cancelled' || found.status === 'completed')
    throw new UsageError(
      `${id} is ${found.status}; open it again with: ralph task edit ${id} --status pending`,
    )
  return found
}

/** What the tasks would make ralph run. */
const taskRisks = (spec: PipelineSpec): Risk[] =>
  spec.tasks.flatMap(task =>
    spec.roles.flatMap(role =>
      task.completion_spec?.roles[role.name]
        ? verificationCommands(criteriaFor(task, role, spec).verification).map(what => ({
            where: `${TASKS_DIR}/${task.id}.json ${role.name}`,
            what,
          }))
        : [],
    ),
  )
