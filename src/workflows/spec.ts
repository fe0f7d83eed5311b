import * as z from 'zod/mini'
import { isObject } from '../core/json.ts'
import type { Limits } from '../core/table.ts'
import { UsageError } from '../core/usage-error.ts'
import type { Criterion, Verification } from '../core/verification/method.ts'
import { packStart, type Start, unpackStart } from '../git/start.ts'
import { filterEnvironment } from '../settings/environment.ts'
import { merge } from '../settings/merge.ts'
import { type CommandGuardrail, resolveSettings, type Settings } from '../settings/schema.ts'
import { readVerification } from '../settings/verification.ts'
import type { Workflow } from './workflow.ts'

/** Everything that decides how a run works. Pinned in the journal's first event, so that a resumed run keeps it. */
export type RunSpec = BaseSpec & {
  /** The name of the workflow, as the registry has it. */
  workflow: string
}

/** What the spec of every workflow has. */
export type BaseSpec = {
  project: string
  /** The project whose `.ralph` keeps the session, if it is another one. */
  sessions?: string
  settings: Settings
  agent: { argv: string[]; explicit: boolean; model: string | null }
  /** Each task has a folder and a branch of its own. */
  worktrees?: boolean
  /** Stop after one iteration. */
  once: boolean
  /** The repository when the run began. Null outside a repository. */
  start: Start | null
}

const text = z.string()
const texts = z.array(text)
const textOrNull = z.nullable(text)

/** Values by path. Not `z.record`, which leaves out a file with the name `__proto__`. */
const byPath = <Value>(value: z.ZodMiniType<Value>) =>
  z.custom<Record<string, Value>>(
    found =>
      isObject(found) && Object.values(found).every(one => value.safeParse(one, { jitless: true }).success),
    'Invalid input: expected values by path',
  )

const start: z.ZodMiniType<Start> = z.looseObject({
  root: text,
  head: textOrNull,
  branch: textOrNull,
  dirty: byPath(text),
  staged: byPath(z.looseObject({ mode: text, object: text })),
  ignored: texts,
  flagged: byPath(z.enum(['h', 'S', 's'])),
  sparse: texts,
  at: z.number(),
  ids: z.looseObject({ root: text, own: text, common: text }),
  hooks: text,
  dirs: z.looseObject({ own: text, common: text }),
})

/** A repository as an event keeps it. Null if another version of ralph wrote it. */
export function readStart(kept: Record<string, unknown>): Start | null {
  const read = start.safeParse(kept, { jitless: true })
  return read.success ? read.data : null
}

/** A run keeps the settings that it began with. Settings that a later ralph added have their defaults. */
const settings = z.pipe(
  z.looseObject({}),
  z.transform(pinned => merge(resolveSettings({}), pinned) as Settings),
)

const BASE = {
  workflow: text,
  project: text,
  sessions: z.optional(text),
  worktrees: z.optional(z.boolean()),
  settings,
  agent: z.looseObject({ argv: texts, explicit: z.boolean(), model: textOrNull }),
  once: z.boolean(),
  start: z.nullable(start),
}

const base = z.looseObject(BASE)

/** A schema for the pins of a workflow: the base, and what this workflow adds. */
export const specSchema = <Shape extends z.core.$ZodLooseShape>(shape: Shape) =>
  z.looseObject({ ...BASE, ...shape })

/** What the first event keeps of a spec. The repository is named by its path from the project. */
export function pinsOf<S extends RunSpec>(workflow: Workflow<S>, spec: S): Record<string, unknown> {
  const { project, start } = spec
  return { ...workflow.pins(spec), start: start && packStart(start, project) }
}

/** Reads pins with a schema. In the journal of another version of ralph something may be missing. */
export function readPins<Spec extends BaseSpec>(
  schema: z.ZodMiniType<Spec>,
  pins: Record<string, unknown>,
): Spec {
  const read = schema.safeParse(pins, { jitless: true })
  if (read.success) {
    const { project, start } = read.data
    return { ...read.data, start: start && unpackStart(start, project) }
  }
  const { path, message } = read.error.issues[0]!
  throw new UsageError(
    `the first event of this run cannot be read: ${['pins', ...path].join('.')}: ${message}; start a new run`,
  )
}

/** Reads what is pinned for every run, whatever its workflow. */
export const readBase = (pins: Record<string, unknown>): RunSpec => readPins(base, pins)

/** The environment for ralph's own git calls and for guardrails, without the API keys of agents. */
export const gitEnvironment = (
  { env: { pass, drop } }: Pick<Settings, 'env'>,
  env: NodeJS.ProcessEnv,
): Record<string, string> => filterEnvironment(env, { own: [], pass, drop }).env

export const commandGuardrails = ({ guardrails }: Settings): CommandGuardrail[] =>
  guardrails.filter(g => g.verify === undefined)

/** The guardrails that name a method of verification. */
export const guardrailCriteria = ({ guardrails }: Settings): Criterion[] =>
  guardrails.flatMap(given => {
    if (given.verify === undefined) return []
    const read = readVerification(given.verify, given.config, { promise: null, acceptance: null })
    // The schema has refused all others.
    if ('problems' in read) return []
    const name = nameOf(read.verification)
    return [{ name, verification: read.verification, failed: `Guardrail "${name}" failed` }]
  })

/** A name that says what a verification is about. */
function nameOf(verification: Verification): string {
  switch (verification.method) {
    case 'external':
      return verification.config.command
    case 'string_match':
      return `promise ${verification.promise}`
    case 'semantic':
      return `semantic: ${[...verification.config.check_for, ...verification.config.negative_patterns][0]}`
    case 'multi_stage':
      return `stages: ${verification.config.stages.map(({ name }) => name).join(', ')}`
    default:
      return verification satisfies never
  }
}

/** What every check of a run is called, for people and prompts. */
export const checkNames = (settings: Settings): string[] => [
  ...commandGuardrails(settings).map(({ command }) => command),
  ...guardrailCriteria(settings).map(({ name }) => name),
]

export function limitsOf({ budget, ...settings }: Settings): Limits {
  return {
    iterations: settings.maximumIterations,
    failures: settings.maxConsecutiveFailures,
    crashes: 3,
    stuck: settings.stuckAfter,
    empties: 2,
    limitWaitMs: settings.maxLimitWait * 1000,
    usd: budget.usd,
    tokens: budget.tokens,
    ms: budget.minutes === null ? null : budget.minutes * 60_000,
    additions: 200,
  }
}

const LONGEST = 100

/**
 * What a run works on, for its header: the first line of a text that says something, at most 100 characters of it. Hidden
 * characters stay, so that the header shows them.
 */
export function subjectLine(text: string): string {
  const line = text.replace(/^[ \t\r\n]+/, '').split('\n', 1)[0]!
  return line.length > LONGEST ? `${line.slice(0, LONGEST - 1)}…` : line.replace(/[ \t\r]+$/, '')
}
