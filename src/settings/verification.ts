import * as z from 'zod/mini'
import { isObject } from '../core/json.ts'
import {
  METHODS,
  type Method,
  type SingleVerification,
  TEMPLATES,
  type Verification,
} from '../core/verification/method.ts'
import { command, either, flag, modelOrNull, object, oneOf, seconds, text, texts } from './kinds.ts'
import { nearestName, type Path } from './names.ts'

/** What is wrong with a verification, and where in it. */
export type VerificationProblem = { path: Path; problem: string }

export type ReadVerification = { verification: Verification } | { problems: VerificationProblem[] }

/** What a verification may refer to. */
export type VerificationContext = {
  /** What a string_match looks for. If it is null, its config must say. */
  promise: string | null
  /** What `{{acceptance_criteria}}` and an empty check_for stand for, or null if there are none. */
  acceptance: readonly string[] | null
}

/** Stands for the task's acceptance criteria in a check_for. */
const ACCEPTANCE = '{{acceptance_criteria}}'

const TIMEOUT_S = 300

const insideFolder = text.check(
  z.refine(
    (path: string) => !path.startsWith('/') && !path.split('/').includes('..'),
    'must be a folder inside the project, relative to it',
  ),
)

const external = object({
  command,
  success_exit_code: z._default(z.int('must be a whole number'), 0),
  output_contains: z.optional(text),
  output_not_contains: z.optional(text),
  timeout: z._default(seconds, TIMEOUT_S),
  working_dir: z._default(insideFolder, '.'),
})

/** One criterion, or a list of them. */
const criteria = z.pipe(
  z.transform((value: unknown) => (typeof value === 'string' ? [value] : value)),
  texts,
)

const semantic = object({
  check_for: z._default(criteria, []),
  negative_patterns: z._default(texts, []),
  in: z._default(oneOf('text', 'diff'), 'text'),
  model: z._default(modelOrNull, null),
})

const config = z.record(z.string(), z.unknown(), 'must be an object')

const stage = object({
  name: z.optional(text.check(z.regex(/\S/, 'must be a non-empty string'))),
  method: z._default(z.string('must be a string'), 'string_match' satisfies Method),
  config: z._default(config, {}),
  required: z._default(flag, true),
  parallel: z._default(flag, false),
})

const multiStage = object({
  stages: z.array(stage, 'must be a list of stages').check(z.minLength(1, 'must have at least one stage')),
  require_all: z._default(flag, true),
})

const stringMatch = object({
  promise: z.optional(text.check(z.regex(/\S/, 'must be a non-empty string'))),
})

/** Reads a method, or the name of a template, and its config; problems have their path within the config. */
export function readVerification(
  method: string,
  raw: unknown,
  context: VerificationContext,
): ReadVerification {
  if (method === 'multi_stage') return readStages(raw, context)
  return readSingle(method, raw, context)
}

function readSingle(
  named: string,
  given: unknown,
  { promise, acceptance }: VerificationContext,
): { verification: SingleVerification } | { problems: VerificationProblem[] } {
  const expanded = expandTemplate(named, given)
  if ('problems' in expanded) return expanded
  const { method, config: raw } = expanded
  switch (method) {
    case 'external':
      return parsed(external, raw, found => ({ verification: { method, config: found } }))
    case 'semantic':
      return parsed(semantic, raw, found => {
        const check_for = fill(found.check_for, acceptance ?? [])
        const isEmpty = check_for.length === 0 && found.negative_patterns.length === 0
        return isEmpty
          ? problem(['check_for'], 'must name at least one criterion')
          : { verification: { method, config: { ...found, check_for } } }
      })
    case 'string_match':
      return parsed(stringMatch, raw, found => {
        if (promise !== null && found.promise !== undefined)
          return problem(['promise'], 'stands beside the method; leave it out here')
        const wanted = found.promise ?? promise
        return wanted === null
          ? problem(['promise'], 'is missing: it is the text that the agent must give')
          : { verification: { method, promise: wanted } }
      })
    case 'multi_stage':
      return problem([], 'is multi_stage again; a stage has one method of its own')
    default:
      return problem([], unknownMethod(named))
  }
}

function readStages(raw: unknown, context: VerificationContext): ReadVerification {
  return parsed(multiStage, raw, ({ stages, require_all }) => {
    const read = stages.map(each => readSingle(each.method, each.config, context))
    const problems = read.flatMap((one, index) =>
      'problems' in one ? one.problems.map(found => ({ ...found, path: stagePath(index, found.path) })) : [],
    )
    if (problems.length > 0) return { problems }
    const found = stages.map(({ name, required, parallel }, index) => ({
      name: name ?? `stage ${index + 1}`,
      required,
      parallel,
      verification: (read[index] as { verification: SingleVerification }).verification,
    }))
    return { verification: { method: 'multi_stage', config: { stages: found, require_all } } }
  })
}

/** A problem of the method itself has no path in the config. */
const stagePath = (index: number, path: Path): Path => [
  'stages',
  index,
  ...(path.length === 0 ? ['method'] : ['config', ...path]),
]

/** The method and config that a template stands for; any other name is the method itself. */
export function expandTemplate(
  method: string,
  raw: unknown,
): { method: string; config: unknown } | { problems: VerificationProblem[] } {
  if (!Object.hasOwn(TEMPLATES, method)) return { method, config: raw ?? {} }
  if (raw !== undefined && raw !== null && !isObject(raw)) return problem([], 'must be an object')
  const made = TEMPLATES[method]!({ ...(raw ?? {}) })
  return 'problem' in made
    ? problem([made.key], made.problem)
    : { method: 'external' satisfies Method, config: made.config }
}

/** Criteria with the acceptance criteria in place of their name; none at all means the acceptance criteria. */
function fill(given: readonly string[], acceptance: readonly string[]): string[] {
  const all = given.length === 0 ? [ACCEPTANCE] : given
  return [...new Set(all.flatMap(one => (one.trim() === ACCEPTANCE ? acceptance : [one])))]
}

export const isMethod = (name: string): name is Method => (METHODS as readonly string[]).includes(name)

export const unknownMethod = (method: string): string => {
  const names = [...METHODS, ...Object.keys(TEMPLATES)]
  const nearest = nearestName(method, names)
  return nearest === null
    ? `must be ${either(METHODS)}, or a template`
    : `is unknown; did you mean "${nearest}"?`
}

function parsed<Schema extends z.ZodMiniType, Result>(
  schema: Schema,
  raw: unknown,
  then: (found: z.output<Schema>) => Result,
): Result | { problems: VerificationProblem[] } {
  const read = schema.safeParse(raw, { jitless: true })
  return read.success
    ? then(read.data)
    : { problems: read.error.issues.flatMap(issue => problemsOf(issue, raw)) }
}

/** The problems of one issue. An unknown key is a problem of its own, with the key that was meant. */
export function problemsOf(issue: z.core.$ZodIssue, raw: unknown): VerificationProblem[] {
  const path = issue.path as Path
  if (issue.code === 'unrecognized_keys')
    return issue.keys.map(key => ({ path: [...path, key], problem: 'is not a key that ralph knows there' }))
  const value = path.reduce<unknown>(
    (found, step) => (found as Record<string | number, unknown> | undefined)?.[step],
    raw,
  )
  return [{ path, problem: value === undefined ? 'is missing' : issue.message }]
}

const problem = (path: Path, what: string): { problems: VerificationProblem[] } => ({
  problems: [{ path, problem: what }],
})
