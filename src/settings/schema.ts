import * as z from 'zod/mini'
import { METHODS, TEMPLATES } from '../core/verification/method.ts'
import {
  amountOrNull,
  command,
  commandOrNull,
  commands,
  count,
  duration,
  either,
  excerptLength,
  flag,
  flags,
  globs,
  line,
  modelOrNull,
  names,
  object,
  oneOf,
  orName,
  positiveCount,
  prices,
  seconds,
  secondsOrNone,
  section,
  text,
  texts,
  toolNames,
  upperCase,
  webAddressOrNull,
} from './kinds.ts'
import { readVerification } from './verification.ts'

const method = oneOf(...METHODS)

/** The roles that a task passes where the settings do not say. */
export const PIPELINE_ROLES = ['coder', 'reviewer', 'tester', 'qa'] as const

/** The agent of one role. Missing keys are taken from the main agent. */
const roleAgent = object({
  command: z.optional(command),
  flags: z.optional(flags),
  model: z.optional(modelOrNull),
})

/** A bare name is an agent without flags, with its default model. */
const fallbackAgent = orName(
  z.strictObject(
    { command, flags: z._default(flags, []), model: z._default(modelOrNull, null) },
    "must be an agent's name or an object",
  ),
  'command',
)

const commandGuardrail = object({
  /** Its absence makes this the command form. */
  verify: z.optional(z.undefined()),
  command,
  failAction: z._default(upperCase('APPEND', 'PREPEND', 'REPLACE'), 'APPEND'),
  hint: z.optional(text),
  timeout: z._default(seconds, 900),
})

const VERIFIERS = [...METHODS, ...Object.keys(TEMPLATES)] as [string, ...string[]]

const verifyGuardrail = object({
  verify: z.enum(VERIFIERS),
  config: z._default(z.record(z.string(), z.unknown(), 'must be an object'), {}),
}).check(
  z.check(({ value: { verify, config }, issues }) => {
    const read = readVerification(verify, config, { promise: null, acceptance: null })
    for (const { path, problem } of 'problems' in read ? read.problems : [])
      issues.push({ code: 'custom', input: config, path: ['config', ...path], message: problem })
  }),
)

const guardrail = z.discriminatedUnion('verify', [commandGuardrail, verifyGuardrail], {
  error: issue =>
    issue.code === 'invalid_union' ? `must be ${either(METHODS)}, or a template` : 'must be an object',
})

const pipelineRole = section({
  /** false: the stage is run once, and still verified. */
  enabled: z._default(flag, true),
  skip: z._default(flag, false),
  /** null means that of the pipeline, or else the role's own. */
  maxIterations: z._default(z.nullable(positiveCount), null),
  /** What verifies it, where a task has no criteria for the role. */
  check: z._default(commandOrNull, null),
  /** A file with its base prompt. */
  prompt: z._default(commandOrNull, null),
  /** Whether it may change files. null means that all may but the reviewer and qa. */
  writes: z._default(z.nullable(z.boolean('must be true, false or null')), null),
})

/** Roles outside the pipeline that may have an agent of their own. */
const OTHER_ROLES = ['judge', 'planner']
/** Names that stages have already. */
const NO_ROLES = [...OTHER_ROLES, 'done', 'blocked', 'bugfix', 'merge', 'resolve']

const roleName = z.string('must be the name of a role').check(
  z.regex(/^[a-z][a-z0-9_-]{0,31}$/, 'must be a short name in lower case'),
  z.refine((name: string) => !NO_ROLES.includes(name), 'is a name that ralph uses itself'),
)

/** Every key, its type, its bounds and its default. Times are in seconds. */
export const schema = object({
  $schema: z.optional(z.string('must be a string')),
  maximumIterations: z._default(positiveCount, 10),
  completionResponse: z._default(line, 'DONE'),
  completionHint: z._default(flag, true),
  outputTruncateChars: z._default(excerptLength, 5000),
  streamAgentOutput: z._default(flag, true),
  includeIterationCountInPrompt: z._default(flag, false),
  agent: section({
    /** null means the first agent found on PATH. */
    command: z._default(commandOrNull, null),
    flags: z._default(flags, []),
    model: z._default(modelOrNull, null),
  }),
  /** Only for Claude Code. */
  claude: section({
    backgroundTasks: z._default(flag, false),
    /** These outlive an iteration, change its folder, or wait for a person. */
    disallowedTools: z._default(toolNames, [
      'ScheduleWakeup',
      'CronCreate',
      'EnterWorktree',
      'ExitWorktree',
      'AskUserQuestion',
    ]),
  }),
  agents: z._default(z.record(z.string(), roleAgent, 'must be an object'), {}),
  fallbackAgents: z._default(z.array(fallbackAgent, 'must be a list of agents'), []),
  guardrails: z._default(z.array(guardrail, 'must be a list of guardrails'), []),
  guardrailParallelism: z._default(positiveCount, 1),
  baseline: z._default(flag, true),
  scm: z._default(
    z.nullable(
      object({
        command: z._default(command, 'git'),
        tasks: z._default(commands, ['commit']),
        /** How the branches of tasks are merged. */
        merge: z._default(oneOf('rebase', 'merge', 'squash'), 'rebase'),
      }),
    ),
    null,
  ),
  inactivityTimeout: z._default(seconds, 300),
  screenInactivityTimeout: z._default(seconds, 60),
  iterationTimeout: z._default(seconds, 7200),
  killGrace: z._default(secondsOrNone, 5),
  maxConsecutiveFailures: z._default(positiveCount, 5),
  maxBugFixes: z._default(count, 3),
  stuckAfter: z._default(positiveCount, 3),
  maxLimitWait: z._default(duration, 6 * 3600),
  budget: section({
    usd: z._default(amountOrNull, null),
    tokens: z._default(amountOrNull, null),
    minutes: z._default(amountOrNull, null),
  }),
  prices: z._default(prices, {}),
  review: section({
    cap: z._default(positiveCount, 5),
    skip: z._default(flag, false),
    atCap: z._default(oneOf('approve', 'block'), 'approve'),
    submitWithin: z._default(positiveCount, 6),
    verdictWithin: z._default(positiveCount, 3),
  }),
  pipeline: section({
    enabled: z._default(flag, true),
    maxIterations: z._default(z.nullable(positiveCount), null),
    verification: z._default(method, 'string_match'),
    rounds: z._default(count, 3),
    onJudgeError: z._default(oneOf('again', 'string_match'), 'again'),
    /** The roles that a task passes, in this order. */
    order: z._default(
      z.array(roleName, 'must be a list of roles').check(
        z.minLength(1, 'must have at least one role'),
        z.refine((names: string[]) => new Set(names).size === names.length, 'must name each role once'),
      ),
      [...PIPELINE_ROLES],
    ),
    roles: z.prefault(
      z.catchall(
        object({
          coder: pipelineRole,
          reviewer: pipelineRole,
          tester: pipelineRole,
          qa: pipelineRole,
        }),
        pipelineRole,
      ),
      {},
    ),
  }),
  parallel: z._default(positiveCount, 1),
  testChanges: z._default(oneOf('claim', 'fail', 'allow'), 'claim'),
  protect: z._default(globs, []),
  sandbox: section({
    mode: z._default(oneOf('auto', 'docker', 'srt', 'none'), 'auto'),
    allowedDomains: z._default(texts, []),
    /** Whether checks and git's hooks run inside too. */
    checks: z._default(oneOf('inside', 'outside'), 'inside'),
    /** More hosts for checks. */
    checkDomains: z._default(texts, []),
    allowWrite: z._default(texts, []),
    denyRead: z._default(texts, []),
  }),
  env: section({ pass: z._default(names, []), drop: z._default(names, []) }),
  blocklist: section({ allow: z._default(texts, []) }),
  output: section({
    emoji: z._default(flag, true),
    color: z._default(oneOf('auto', 'always', 'never'), 'auto'),
    timestamps: z._default(flag, false),
    maxLines: z._default(positiveCount, 12),
    maxChars: z._default(positiveCount, 2000),
  }),
  /** For the worktree of a worker or a task: commands when it is made and removed, and ignored files to copy into it. */
  worktree: section({
    setup: z._default(commandOrNull, null),
    teardown: z._default(commandOrNull, null),
    copy: z._default(texts, []),
  }),
  notify: section({
    command: z._default(commandOrNull, null),
    webhook: z._default(webAddressOrNull, null),
    bell: z._default(flag, true),
    title: z._default(flag, true),
    desktop: z._default(flag, true),
  }),
}).check(
  // A role that no stage has would have an agent that never works.
  z.check(({ value: { agents, pipeline }, issues }) => {
    const stages = [...new Set([...PIPELINE_ROLES, ...pipeline.order])]
    const refuse = (path: string[], role: string, known: readonly string[]) =>
      issues.push({
        code: 'custom',
        input: role,
        path: [...path, role],
        message: `must be for a role: ${known.join(', ')}`,
      })
    for (const role of Object.keys(pipeline.roles))
      if (!stages.includes(role)) refuse(['pipeline', 'roles'], role, stages)
    const known = [...stages, ...OTHER_ROLES]
    for (const role of Object.keys(agents)) if (!known.includes(role)) refuse(['agents'], role, known)
  }),
)

type Parsed = z.output<typeof schema>

export type CommandGuardrail = z.output<typeof commandGuardrail>

/** The settings with all defaults. */
export type Settings = Omit<Parsed, '$schema'>

/** Adds the defaults to valid settings. */
export function resolveSettings(raw: unknown): Settings {
  const { $schema: _, ...settings } = schema.parse(raw, { jitless: true })
  return settings
}
