import * as z from 'zod/mini'
import type { Settings } from '../../settings/schema.ts'
import { type RunSpec, specSchema } from '../spec.ts'
import type { ReviewState } from './rules/reviews.ts'
import { mayWrite, triesOf } from './table.ts'
import { readStoredTask } from './tasks/read-task.ts'
import { type PipelineTask, specOut, TASK_VERSION } from './tasks/task.ts'

/** One role of a run, as the settings made it. */
export type PipelineRole = {
  name: string
  /** How often its stage may be tried. */
  tries: number
  /** What verifies it, where a task does not say. */
  check: string | null
  /** Its base prompt. Null means ralph's own. */
  prompt: string | null
  /** Whether it may change files. Absent: as `mayWrite` knows the role. */
  writes?: boolean
}

export type PipelineSpec = RunSpec & {
  /** The tasks when the run began. They fix what "done" means. */
  tasks: PipelineTask[]
  roles: PipelineRole[]
}

/** How the tasks of a run are read back: its settings may name other roles than ralph knows. */
const TASK_RULES = { roles: null, method: 'string_match' }

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
      check: z.nullable(z.string()),
      prompt: z.nullable(z.string()),
      writes: z.optional(z.boolean()),
    }),
  ),
})

/** A task as the first event keeps it. */
export const pinnedTask = ({ completion_spec, ...rest }: PipelineTask): Record<string, unknown> => ({
  v: TASK_VERSION,
  ...rest,
  completion_spec: completion_spec && specOut(completion_spec),
})

/** The roles of a run in their order. `readPrompt` gives the text of a base prompt's file. */
export function rolesFrom(
  { pipeline: { enabled, maxIterations: all, order, roles } }: Settings,
  readPrompt: (path: string) => string,
): PipelineRole[] {
  return order.flatMap(name => {
    const role = Object.hasOwn(roles, name) ? roles[name] : undefined
    if (role?.skip) return []
    const own = role?.maxIterations ?? all ?? triesOf(name)
    return [
      {
        name,
        tries: enabled && (role?.enabled ?? true) ? own : 1,
        check: role?.check ?? null,
        prompt: role?.prompt ? readPrompt(role.prompt) : null,
        writes: mayWrite({ name, ...(role?.writes != null && { writes: role.writes }) }),
      },
    ]
  })
}

const finding = z.object({ id: z.string(), path: z.string(), line: z.number(), failure: z.string() })

const reviews: z.ZodMiniType<ReviewState> = z.object({
  step: z.nullable(z.number()),
  open: z.array(finding),
  tree: z.nullable(z.string()),
  dismissed: z.array(z.extend(finding, { why: z.string(), tree: z.nullable(z.string()) })),
  numbered: z.number(),
})

/** What a pipeline keeps in the journal for each task. */
export const pipelineNotes = z.object({
  /** The tree that its work is compared with. */
  base: z.string(),
  reviews,
  /** The step whose rejection did not count, and why. Null once another agent of the task has come to its end. */
  refused: z.nullable(z.object({ step: z.number(), note: z.string() })),
  /** What reviews found outside of it. */
  followUps: z.array(z.string()),
})
