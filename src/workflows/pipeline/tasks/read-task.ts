import * as z from 'zod/mini'
import { isObject } from '../../../core/json.ts'
import { hiddenIn } from '../../../core/visible.ts'
import { line, object, oneOf, positiveCount, text } from '../../../settings/kinds.ts'
import { nearestName, type Path } from '../../../settings/names.ts'
import {
  expandTemplate,
  isMethod,
  problemsOf,
  readVerification,
  unknownMethod,
  type VerificationProblem,
} from '../../../settings/verification.ts'
import {
  type CompletionCriteria,
  type CompletionSpec,
  defaultDescription,
  defaultPromise,
  isTaskId,
  type PipelineTask,
  TASK_ID_RULE,
  TASK_STATUSES,
  TASK_VERSION,
  type TaskRules,
} from './task.ts'

/** What is wrong with a task, and where. */
export type TaskProblem = VerificationProblem

const filledLine = line.check(z.regex(/\S/, 'must be a non-empty line'))
const filledText = text.check(z.regex(/\S/, 'must be a non-empty string'))
const id = z.string('must be a string; put it in quotes').check(z.refine(isTaskId, TASK_ID_RULE))
const priority = z.int('must be a whole number')
const time = z.iso.datetime({ offset: true, error: 'must be a time such as 2026-01-31T12:00:00Z' })

/** A promise is compared with what is inside a tag. */
const promise = filledLine.check(
  z.regex(/^[^<>]*$/, 'must not contain < or >'),
  z.refine(value => hiddenIn(value) === null, 'must be text without invisible characters'),
)

const criteria = object({
  promise: z.optional(promise),
  description: z.optional(filledText),
  verification_method: z.optional(z.string('must be a string')),
  verification_config: z.optional(z.unknown()),
  max_iterations: z.optional(z.nullable(positiveCount)),
})

/** What people write of a task. */
const written = {
  id,
  title: filledLine,
  description: z._default(text, ''),
  priority: z._default(priority, 0),
  dependencies: z._default(z.array(id, 'must be a list of ids'), []),
  assignee: z._default(line, ''),
  metadata: z._default(z.record(z.string(), z.unknown(), 'must be an object'), {}),
}

const given = object({
  ...written,
  spec_id: z.optional(id),
  completion: z.optional(z.unknown()),
  completion_spec: z.optional(z.unknown()),
})

const stored = object({
  v: z.literal(TASK_VERSION, `must be ${TASK_VERSION}; a newer ralph may have written it`),
  ...written,
  spec_id: id,
  status: oneOf(...TASK_STATUSES),
  created_at: time,
  updated_at: time,
  iteration: z._default(z.int().check(z.gte(0)), 0),
  completion_spec: z._default(z.unknown(), null),
})

/** Fields that only ralph writes. */
const OWN = ['v', 'status', 'iteration', 'created_at', 'updated_at']

/** Reads one task that a person or an agent wrote: a part of a file, or the words of a command. */
export function readGivenTask(
  raw: unknown,
  { roles, method, specId, now }: TaskRules & { specId: string | null; now: string },
): { task: PipelineTask } | { problems: TaskProblem[] } {
  if (!isObject(raw)) return { problems: [{ path: [], problem: 'must be an object' }] }
  const owned = OWN.filter(key => Object.hasOwn(raw, key))
  const problems: TaskProblem[] = owned.map(key => ({
    path: [key],
    problem: 'is written by ralph; leave it out',
  }))
  const parsed = given.safeParse(withoutKeys(raw, owned), { jitless: true })
  if (!parsed.success) problems.push(...parsed.error.issues.flatMap(issue => problemsOf(issue, raw)))
  const key =
    raw.completion_spec !== undefined && raw.completion === undefined ? 'completion_spec' : 'completion'
  if (raw.completion !== undefined && raw.completion_spec !== undefined)
    problems.push({ path: ['completion_spec'], problem: 'is the same as completion; give one of them' })
  const title = typeof raw.title === 'string' ? raw.title : ''
  const spec = readSpec(raw[key], { roles, method, title })
  if ('problems' in spec)
    problems.push(...spec.problems.map(found => ({ ...found, path: [key, ...found.path] })))
  const spec_id = parsed.data?.spec_id ?? specId
  if (parsed.success && spec_id === null)
    problems.push({ path: ['spec_id'], problem: 'is missing; name one here or with --spec' })
  if (problems.length > 0 || !parsed.success || spec_id === null || 'problems' in spec) return { problems }
  const { completion: _, completion_spec: __, ...fields } = parsed.data
  return {
    task: {
      ...fields,
      spec_id,
      status: 'pending',
      created_at: now,
      updated_at: now,
      iteration: 0,
      completion_spec: spec.spec,
    },
  }
}

/** Reads a task as ralph stored it. Somebody may have edited the file. */
export function readStoredTask(
  raw: unknown,
  options: TaskRules,
): { task: PipelineTask } | { problems: TaskProblem[] } {
  const parsed = stored.safeParse(raw, { jitless: true })
  if (!parsed.success) return { problems: parsed.error.issues.flatMap(issue => problemsOf(issue, raw)) }
  const { v: _, completion_spec, ...fields } = parsed.data
  if (completion_spec === null) return { task: { ...fields, completion_spec } }
  const spec = readSpec(completion_spec, { ...options, title: fields.title })
  return 'problems' in spec
    ? { problems: spec.problems.map(found => ({ ...found, path: ['completion_spec', ...found.path] })) }
    : { task: { ...fields, completion_spec: spec.spec } }
}

/** Reads what "done" means: an outcome, at least one criterion, and the criteria of roles. */
function readSpec(
  raw: unknown,
  { roles, method, title }: TaskRules & { title: string },
): { spec: CompletionSpec } | { problems: TaskProblem[] } {
  if (raw === undefined || raw === null)
    return { problems: [{ path: [], problem: 'is missing: a task says what "done" means' }] }
  if (!isObject(raw)) return { problems: [{ path: [], problem: 'must be an object' }] }
  const { outcome, acceptance_criteria, ...others } = raw
  const base = specBase.safeParse({ outcome, acceptance_criteria }, { jitless: true })
  const problems = base.error?.issues.flatMap(issue => problemsOf(issue, raw)) ?? []
  const acceptance = base.data?.acceptance_criteria ?? []
  const read: [string, CompletionCriteria][] = []
  for (const [role, value] of Object.entries(others)) {
    if (value === null || value === undefined) continue
    if (roles && !roles.includes(role)) {
      problems.push({ path: [role], problem: unknownRole(role, roles) })
      continue
    }
    const found = readCriteria(role, value, { method, title, acceptance })
    if ('problems' in found)
      problems.push(...found.problems.map(one => ({ ...one, path: [role, ...one.path] })))
    else read.push([role, found.criteria])
  }
  if (problems.length > 0 || !base.success) return { problems }
  return { spec: { ...base.data, roles: Object.fromEntries(read) } }
}

const specBase = object({
  outcome: filledText,
  acceptance_criteria: z
    .array(filledText, 'must be a list of strings')
    .check(z.minLength(1, 'must have at least one criterion')),
})

function readCriteria(
  role: string,
  raw: unknown,
  { method, title, acceptance }: { method: string; title: string; acceptance: readonly string[] },
): { criteria: CompletionCriteria } | { problems: TaskProblem[] } {
  const parsed = criteria.safeParse(raw, { jitless: true })
  if (!parsed.success) return { problems: parsed.error.issues.flatMap(issue => problemsOf(issue, raw)) }
  const named = parsed.data.verification_method ?? method
  const expanded = expandTemplate(named, parsed.data.verification_config)
  if ('problems' in expanded) return { problems: inConfig(expanded.problems) }
  if (!isMethod(expanded.method))
    return { problems: [{ path: ['verification_method'], problem: unknownMethod(named) }] }
  const words = parsed.data.promise ?? defaultPromise(role)
  const read = readVerification(expanded.method, expanded.config, {
    promise: words,
    // The list itself may be wrong, which is a problem of its own.
    acceptance: acceptance.length > 0 ? acceptance : ['-'],
  })
  if ('problems' in read) return { problems: inConfig(read.problems) }
  return {
    criteria: {
      promise: words,
      description: parsed.data.description ?? defaultDescription(role, title),
      verification_method: expanded.method,
      verification_config: expanded.config as Record<string, unknown>,
      max_iterations: parsed.data.max_iterations ?? null,
    },
  }
}

const inConfig = (problems: readonly TaskProblem[]): TaskProblem[] =>
  problems.map(({ path, problem }) => ({ path: ['verification_config', ...path] as Path, problem }))

function unknownRole(role: string, roles: readonly string[]): string {
  const nearest = nearestName(role, [...roles, 'outcome', 'acceptance_criteria'])
  return nearest === null
    ? `is no role; there are ${roles.join(', ')}`
    : `is no role; did you mean "${nearest}"?`
}

const withoutKeys = (raw: Record<string, unknown>, keys: readonly string[]): Record<string, unknown> =>
  Object.fromEntries(Object.entries(raw).filter(([key]) => !keys.includes(key)))
