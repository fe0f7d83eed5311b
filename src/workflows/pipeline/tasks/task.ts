import { LONGEST_ID } from '../../../core/task.ts'
import { PIPELINE_ROLES, type Settings } from '../../../settings/schema.ts'

export const TASK_STATUSES = [
  'pending',
  'in_progress',
  'completed',
  'failed',
  'blocked',
  'cancelled',
] as const

export type TaskStatus = (typeof TASK_STATUSES)[number]

/** How tasks are read. */
export type TaskRules = {
  /** The roles that criteria may be for. Null allows any. */
  roles: readonly string[] | null
  /** The method of criteria that name none. */
  method: string
}

/** Criteria may be for the roles that ralph knows, and for those of the settings. */
export const taskRules = ({ pipeline: { order, verification } }: Pick<Settings, 'pipeline'>): TaskRules => ({
  roles: [...new Set([...PIPELINE_ROLES, ...order])],
  method: verification,
})

/** The format of a task's file. */
export const TASK_VERSION = 1

/** When a role has finished a task. The names are those on disk. */
export type CompletionCriteria = {
  promise: string
  /** What success means, for the agent and for people. */
  description: string
  verification_method: string
  verification_config: Record<string, unknown>
  /** The limit for this role. Null: as the settings say. */
  max_iterations: number | null
}

/** What "done" means for a task. Roles without criteria of their own are not in it. */
export type CompletionSpec = {
  /** One measurable sentence. */
  outcome: string
  acceptance_criteria: string[]
  roles: Record<string, CompletionCriteria>
}

/** A task of the pipeline. */
export type PipelineTask = {
  id: string
  spec_id: string
  title: string
  description: string
  status: TaskStatus
  /** Smaller first. */
  priority: number
  dependencies: string[]
  assignee: string
  created_at: string
  updated_at: string
  metadata: Record<string, unknown>
  /** Iterations that it took so far. */
  iteration: number
  /** What "done" means. Null if nobody has said it, which is possible only in a file written by hand. */
  completion_spec: CompletionSpec | null
}

/** An id is the name of a file, too. */
export const isTaskId = (id: string): boolean =>
  id.length <= LONGEST_ID && /^[A-Za-z0-9][A-Za-z0-9._-]*$/.test(id) && !id.endsWith('.json')

export const TASK_ID_RULE = `must be 1 to ${LONGEST_ID} letters, digits, dots, dashes or underscores`

const DEFAULT_PROMISES: Readonly<Record<string, string>> = {
  coder: 'IMPLEMENTATION_COMPLETE',
  reviewer: 'REVIEW_PASSED',
  tester: 'TESTS_PASSED',
  qa: 'QA_PASSED',
}

export const defaultPromise = (role: string): string =>
  Object.hasOwn(DEFAULT_PROMISES, role) ? DEFAULT_PROMISES[role]! : 'STAGE_COMPLETE'

export const defaultDescription = (role: string, title: string): string =>
  `Complete ${role} stage for: ${title}`

/** What a person writes of a task, in the order and with the names of a task file. Ralph's own fields are left out. */
export function exported(task: PipelineTask): Record<string, unknown> {
  const { id, spec_id, title, description, priority, dependencies, assignee, metadata } = task
  return {
    id,
    spec_id,
    title,
    ...(description !== '' && { description }),
    priority,
    dependencies,
    ...(assignee !== '' && { assignee }),
    ...(Object.keys(metadata).length > 0 && { metadata }),
    ...(task.completion_spec && { completion: specOut(task.completion_spec) }),
  }
}

/** A completion spec as it is written: the roles beside the outcome, without what is not set. */
export const specOut = ({
  outcome,
  acceptance_criteria,
  roles,
}: CompletionSpec): Record<string, unknown> => ({
  outcome,
  acceptance_criteria,
  ...Object.fromEntries(
    Object.entries(roles).map(([role, { verification_config, max_iterations, ...criteria }]) => [
      role,
      {
        ...criteria,
        ...(Object.keys(verification_config).length > 0 && { verification_config }),
        ...(max_iterations !== null && { max_iterations }),
      },
    ]),
  ),
})
