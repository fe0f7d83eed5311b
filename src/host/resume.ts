import type { ResumedAgent, RunEvent } from '../core/events.ts'
import { fold } from '../core/evolve.ts'
import { formatUsd } from '../core/format.ts'
import type { Limits } from '../core/table.ts'
import { UsageError } from '../core/usage-error.ts'
import type { RunnerRegistry } from '../runners/index.ts'
import {
  canGoOn,
  findRun,
  hasSession,
  isIn,
  latestUnfinished,
  placeAt,
  ralphHome,
  readRun,
  type StoredRun,
  storedRuns,
} from '../runs/find.ts'
import { type Io, printAnswer } from '../runs/io.ts'
import { isLive } from '../runs/live.ts'
import { projectOf, requireProject, requireRepository } from '../runs/project.ts'
import { tellRun, wakeRun } from '../runs/steer.ts'
import { withLocks } from '../runs/with-locks.ts'
import { refuseFromWithin } from '../runs/within.ts'
import { askConfirmation } from '../terminal/question.ts'
import { isUndone, moreIterations } from '../view/report/ending.ts'
import { type Registry, workflowIn } from '../workflows/index.ts'
import type { BaseSpec, RunSpec } from '../workflows/spec.ts'
import { requireHeldBudget } from './agents/agent-pool.ts'
import { chooseAgent, pathFrom, requireAgent, takesModel } from './agents/agents.ts'
import { factRows } from './facts.ts'
import type { Frontend } from './frontend.ts'
import { hostRun } from './host.ts'
import { forgetProtected } from './protection.ts'
import { noteChangesMeanwhile } from './start-and-end.ts'

export type ResumeOptions = {
  maxTime?: number
  maxCost?: number
  maxTokens?: number
  maxIterations?: number
  agent?: string
  model?: string
  projectDir?: string
  /** Continue in another folder without asking. */
  yes?: boolean
  json?: boolean
  quiet?: boolean
  shared?: boolean
  /** On the full screen. */
  tui?: boolean
}

/** What resuming needs of the program around it. */
export type ResumeContext = {
  registry: Registry
  io: Io
  frontend: Frontend
  /** Where its processes may run, if not with the runners of ralph. */
  runners?: RunnerRegistry
}

/** Resumes a run under the rules it began with. */
export async function resumeByName(
  name: string | undefined,
  options: ResumeOptions,
  context: ResumeContext,
): Promise<number> {
  const home = ralphHome(context.io.env)
  const project = projectOf(options.projectDir, context.io.env)
  const run = name === undefined ? latest(home, project) : findRun(home, name)
  return resumeRun(run, options, context)
}

/** The same with an instruction for all later prompts, unless it is null. */
export async function resumeRun(
  run: StoredRun,
  options: ResumeOptions,
  context: ResumeContext,
  instruction: string | null = null,
): Promise<number> {
  const { stdout, stderr, env } = context.io
  refuseFromWithin(run, env)
  needUnfinished(run)
  if (isLive(run)) {
    refuseChanges(run, options)
    // The process that hosts the run prints its events: here there are none.
    const out = options.json ? stderr : stdout
    const answer = instruction === null ? wakeRun(run, env) : tellRun(run, instruction, null, env)
    return printAnswer(await answer, { stdout: out, stderr })
  }
  const home = ralphHome(env)
  const project = await placeFor(run, options, env)
  // Read it again under the lock: another process may have resumed it meanwhile.
  return withLocks({ home, id: run.id, project, shared: options.shared ?? false }, () =>
    goOn(home, placeAt(readRun(home, run.id), project), options, context, instruction),
  )
}

/** The folder in which a run goes on: where it was, or another one with the same repository that the user names. */
async function placeFor(run: StoredRun, options: ResumeOptions, env: NodeJS.ProcessEnv): Promise<string> {
  const { project } = run.last
  const named = options.projectDir === undefined ? project : projectOf(options.projectDir, env)
  if (named === project && (options.projectDir === undefined || isIn(run, project))) {
    await requireProject(run, env)
    return project
  }
  await requireRepository(placeAt(run, named), env)
  if (!options.yes) await requireConsent(run, named, options)
  return named
}

async function requireConsent({ id, last }: StoredRun, named: string, { tui }: ResumeOptions): Promise<void> {
  const question = `Run ${id} was in ${last.project}. Continue it in ${named}?`
  if (tui || !process.stdin.isTTY || !process.stderr.isTTY)
    throw new UsageError(`run ${id} was in ${last.project}; to continue it in ${named}, add --yes`)
  if (!(await askConfirmation(question))) throw new UsageError(`run ${id} stays where it was`)
}

async function goOn(
  home: string,
  run: StoredRun,
  options: ResumeOptions,
  { registry, io: { env }, frontend, runners }: ResumeContext,
  instruction: string | null,
): Promise<number> {
  needUnfinished(run)
  const limits = limitsFor(run, options)
  const workflow = workflowIn(registry, run)
  const path = env.PATH ?? ''
  const before = withAgent(workflow.readSpec(run.began.pins), agentOfLatest(run.events))
  const newAgent = agentForResume(before, options, path)
  const spec = withAgent(before, newAgent)
  requireAgent(spec, path)
  // A run that began before such limits were refused may go on under its own.
  if (newAgent || options.maxCost !== undefined || options.maxTokens !== undefined)
    requireHeldBudget(spec, limits, path)
  if (!isIn(run, spec.project)) forgetProtected(run.dir)
  return hostRun({
    home,
    id: run.id,
    workflow,
    spec,
    limits,
    past: run.events,
    warnings: await noteChangesMeanwhile(spec, run.dir, env),
    env,
    frontend,
    rows: factRows(workflow, spec, limits, fold(run.events)),
    ...(runners && { runners }),
    ...(instruction !== null && { instruction }),
    ...(newAgent && { newAgent }),
  })
}

/** A live run keeps its limits and its agent: it may be about to act on them. */
function refuseChanges({ id }: StoredRun, o: ResumeOptions): void {
  if (o.agent !== undefined || o.model !== undefined)
    throw new UsageError(`run ${id} is at work with its own agent; choose another once it has ended`)
  if ([o.maxIterations, o.maxCost, o.maxTokens, o.maxTime].some(limit => limit !== undefined))
    throw new UsageError(`run ${id} is at work under its own limits; give new ones once it has ended`)
}

function needUnfinished({ id, events }: StoredRun): void {
  if (!canGoOn(events)) throw new UsageError(`run ${id} is finished; there is nothing to resume`)
  if (isUndone(events))
    throw new UsageError(`run ${id} was undone, so what it counts as done is not there; start a new run`)
}

function latest(home: string, project: string): StoredRun {
  const run = latestUnfinished(home, project)
  if (run) return run
  const left = storedRuns(home).findLast(
    run => hasSession(run.id, project) && !isIn(run, project) && canGoOn(run.events) && !isUndone(run.events),
  )
  const wayOut = left
    ? `run ${left.id} was in ${left.last.project}; to continue it here: ralph resume ${left.id} -C .`
    : 'start one with: ralph run'
  throw new UsageError(`no unfinished run in ${project}; ${wayOut}`)
}

/** The run's last limits with the new ones over them. Refuses a limit that is already used up. */
function limitsFor({ id, events, began }: StoredRun, options: ResumeOptions): Limits {
  const { n, spent, limits: last } = fold(events).state
  const limits: Limits = {
    ...last,
    iterations: options.maxIterations ?? last.iterations,
    usd: options.maxCost ?? last.usd,
    tokens: options.maxTokens ?? last.tokens,
    ms: options.maxTime === undefined ? last.ms : options.maxTime * 1000,
  }
  const used = (what: string, flag: string) =>
    new UsageError(`run ${id} has used ${what}; raise the limit with ${flag}`)
  if (limits.iterations !== null && n >= limits.iterations)
    throw used(
      n === 1 ? 'its one iteration' : `all ${n} of its iterations`,
      `-m ${n + moreIterations(began.pins)}`,
    )
  if (limits.usd !== null && spent.usd >= limits.usd)
    throw used(`${formatUsd(spent.usd)} of ${formatUsd(limits.usd)}`, '--max-cost')
  if (limits.tokens !== null && spent.tokens >= limits.tokens)
    throw used(`${spent.tokens} of ${limits.tokens} tokens`, '--max-tokens')
  return limits
}

/**
 * The agent that the user asks for with `ralph resume -a NAME --model MODEL`. Null if none. Another program gets neither the
 * model nor the flags of the one before, which would not understand them.
 */
function agentForResume(
  { agent, settings, project }: RunSpec,
  { agent: name, model }: { agent?: string; model?: string },
  path: string,
): ResumedAgent | null {
  if (name === undefined && model === undefined) return null
  const { flags } = settings.agent
  const chosen =
    name === undefined
      ? agent
      : chooseAgent({ explicit: [], name: pathFrom('.', name, project), setting: null }, path)
  const isSame = !agent.explicit && chosen.argv[0] === agent.argv[0]
  const next: ResumedAgent = {
    argv: chosen.argv,
    explicit: chosen.explicit,
    model: model ?? (isSame ? agent.model : null),
    flags: isSame ? flags : [],
  }
  if (next.model !== null && !takesModel(next))
    throw new UsageError(
      `ralph does not know how to tell "${next.argv[0]}" a model; name another agent with -a`,
    )
  return next
}

/** The spec of a run with the agent that works now. */
export function withAgent<S extends BaseSpec>(spec: S, resumed: ResumedAgent | null): S {
  if (!resumed) return spec
  const { flags, ...agent } = resumed
  return { ...spec, agent, settings: { ...spec.settings, agent: { ...spec.settings.agent, flags } } }
}

/** The agent that the latest resume chose. Null if the run still has its first one. */
export const agentOfLatest = (events: readonly RunEvent[]): ResumedAgent | null =>
  events.flatMap(event => (event.type === 'resumed' && event.agent) || []).at(-1) ?? null
