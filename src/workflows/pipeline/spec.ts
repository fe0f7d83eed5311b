import * as z from 'zod/mini'
import type { Settings } from '../../settings/schema.ts'
import { type RunSpec, specSchema } from '../spec.ts'
import { readStoredTask } from './tasks/read-task.ts'
import { type PipelineTask, ROLES, specOut, TASK_VERSION } from './tasks/task.ts'

/** One role of a run, as the settings made it. */
export type PipelineRole = {
  name: string
  /** How often its stage may be tried. */
  tries: number
  /** What verifies it, where a task does not say. */
  command: string | null
  /** Its base prompt; null: ralph's own. */
  prompt: string | null
}

export type PipelineSpec = RunSpec & {
  /** The tasks when the run began. They fix what "done" means. */
  tasks: PipelineTask[]
  roles: PipelineRole[]
}

/** How the tasks of a run are read back. */
const TASK_RULES = { roles: ROLES, method: 'string_match' }

const task = z.pipe(
  z.custom<unknown>(value => 'task' in readStoredTask(value, TASK_RULES), 'not a task'),
  z.transform(value => (readStoredTask(value, TASK_RULES) as { task: PipelineTask }).task),
)

export const pipelineSchema = specSchema({
  tasks: z.array(task),
  roles: z.array(
    z.looseObject({
      name: z.string(),
      tries: z.number(),
      command: z.nullable(z.string()),
      prompt: z.nullable(z.string()),
    }),
  ),
})

/** A task as the first event keeps it. */
export const pinnedTask = ({ completion_spec, ...rest }: PipelineTask): Record<string, unknown> => ({
  v: TASK_VERSION,
  ...rest,
  completion_spec: completion_spec && specOut(completion_spec),
})

/** How often each stage may be tried. */
const DEFAULT_TRIES = { coder: 15, reviewer: 5, tester: 10, qa: 5 } as const

/** The roles of a run in their order. `readPrompt` gives the text of a base prompt's file. */
export function rolesFrom(
  { pipeline: { enabled, maxIterations: all, roles } }: Settings,
  readPrompt: (path: string) => string,
): PipelineRole[] {
  return ROLES.filter(name => !roles[name].skip).map(name => {
    const { enabled: loops, maxIterations, command, prompt } = roles[name]
    return {
      name,
      tries: enabled && loops ? (maxIterations ?? all ?? DEFAULT_TRIES[name]) : 1,
      command,
      prompt: prompt === null ? null : readPrompt(prompt),
    }
  })
}
