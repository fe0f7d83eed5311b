import type { Limits } from '../core/table.ts'
import { UsageError } from '../core/usage-error.ts'
import { quote } from '../core/visible.ts'
import { startBranch } from '../git/branches/branch.ts'
import { git } from '../git/git.ts'
import { recordStart, type Start } from '../git/start.ts'
import { whyUnreadable } from '../git/status.ts'
import { newRunId, ralphHome } from '../runs/find.ts'
import { projectOf } from '../runs/project.ts'
import { withLocks } from '../runs/with-locks.ts'
import { type Flags, loadSettings, resolveFlags, withChecks } from '../settings/load.ts'
import type { Settings } from '../settings/schema.ts'
import type { Risk } from '../settings/trust.ts'
import { printError } from '../terminal/print.ts'
import { type BaseSpec, gitEnvironment, type RunSpec } from '../workflows/spec.ts'
import type { Workflow } from '../workflows/workflow.ts'
import { requireHeldBudget } from './agents/agent-pool.ts'
import {
  checkFallbacks,
  checkRoleAgents,
  chooseAgent,
  isKnownAgent,
  pathFrom,
  takesModel,
} from './agents/agents.ts'
import { dryRun, factRows, verboseLines, warningsOf } from './facts.ts'
import type { Frontend } from './frontend.ts'
import { type HostOptions, hostRun } from './host.ts'
import { processFrontend } from './process-frontend.ts'
import { protectNotes } from './protection.ts'
import { chooseSandbox, type SandboxMode, withSandbox } from './sandbox.ts'
import { projectRisks, requireTrust } from './trust.ts'

/** The options that every workflow takes. */
export type CommonOptions = {
  agent?: string
  model?: string
  check?: string[]
  maxIterations?: number
  maximumIterations?: number
  once?: boolean
  streamAgentOutput?: boolean
  inactivityTimeout?: number
  iterationTimeout?: number
  maxTime?: number
  maxCost?: number
  maxTokens?: number
  /** A mode, or false for none. */
  sandbox?: string | boolean
  branch?: string
  projectDir?: string
  shared?: boolean
  json?: boolean
  quiet?: boolean
  verbose?: boolean
  dryRun?: boolean
  /** On the full screen. */
  tui?: boolean
  trust?: boolean
  /** As a worker in the background. */
  detach?: boolean
  /** The name of the worker. */
  name?: string
  /** A worker that stays in this terminal. */
  foreground?: boolean
  /** A worker in a worktree of its own; not as a worker: each task in one. */
  worktree?: boolean
  /** How many tasks are worked on at once. */
  parallel?: number
  /** Where the run works, if not in the project; called once everything was checked and is trusted. */
  enter?(project: string, settings: Settings): Promise<Entered>
  /** Hosts the run. Without it this process does, at its terminal. */
  launch?: Launch
}

/** Another folder to work in. `sessions`: the project that keeps the session. `notes`: warnings. */
export type Entered = { project: string; sessions: string; notes: string[] }

/** A run that may begin: everything was checked, the project is trusted, and the repository's state is recorded. */
export type ReadyRun = Omit<HostOptions, 'past' | 'instruction'> & { shared: boolean }

/** Hosts a run, here or elsewhere, and gives the exit code of the command. */
export type Launch = (run: ReadyRun) => Promise<number>

/** A spec without the state of the repository, which is recorded last. */
export type DraftSpec<S extends RunSpec = RunSpec> = Omit<S, 'start'>

/** What every workflow needs to start. */
export type Prepared = {
  base: Omit<BaseSpec, 'start'>
  /** The settings files that were there. */
  sources: string[]
  /** The settings that the files set, without defaults. */
  fromFiles: unknown
  /** What the project's files decide, and so what needs trust. */
  risks: Risk[]
  /** What only this workflow uses of them. */
  ownRisks?: Risk[]
  frontend: Frontend
}

/** The settings, the agent and the project, from what was typed and what the project's files say. */
export function prepare(options: CommonOptions, agentCommand: string[], flags: Flags = {}): Prepared {
  const project = projectOf(options.projectDir, process.env)
  const loaded = loadSettings(project, { ...flagsOf(options), ...flags }, ralphHome(process.env))
  const { sources, fromFiles } = loaded
  const settings = withChecks(loaded.settings, options.check ?? [])
  resolveFlags(settings.agent.flags)
  const { name, explicit } = namedAgent(options, agentCommand)
  const wanted = agentPaths(project, { explicit, name, setting: settings.agent.command })
  const agent = { ...chooseAgent(wanted, process.env.PATH ?? ''), model: settings.agent.model }
  if (agent.model !== null && !takesModel(agent))
    throw new UsageError(
      `ralph does not know how to tell "${agent.argv[0]}" a model; give it in the command itself`,
    )
  return {
    base: { project, settings, agent, once: options.once ?? false },
    sources,
    fromFiles,
    risks: projectRisks(project, fromFiles, process.env),
    frontend: processFrontend(options),
  }
}

type WantedAgent = Parameters<typeof chooseAgent>[0]

function agentPaths(project: string, { explicit, name, setting }: WantedAgent): WantedAgent {
  const from = (folder: string, program: string) => pathFrom(folder, program, project)
  const [program, ...args] = explicit
  return {
    explicit: program === undefined ? [] : [from('.', program), ...args],
    name: name && from('.', name),
    setting: setting && from(project, setting),
  }
}

/** A worker's command that is no more than the name of an agent means that agent. */
const namedAgent = ({ agent, detach }: CommonOptions, command: string[]) =>
  detach && agent === undefined && command.length === 1 && isKnownAgent(command[0]!)
    ? { name: command[0], explicit: [] }
    : { name: agent, explicit: command }

/** Starts a run and hosts it until it ends or stops. */
export async function startRun<S extends RunSpec>(
  workflow: Workflow<S>,
  { base, sources, risks, ownRisks, frontend }: Prepared,
  draft: DraftSpec<S>,
  limits: Limits,
  options: CommonOptions,
  notes: string[] = [],
): Promise<number> {
  const env = process.env
  const { project, settings } = draft
  checkFallbacks(draft)
  checkRoleAgents(draft, env.PATH ?? '')
  requireHeldBudget(withStart<S>(draft, null), limits, env.PATH ?? '')
  // Only the user's own patterns: files that a workflow adds to them may well be missing.
  const aboutProtect = () => protectNotes(project, base.settings.protect).map(note => `protect: ${note}`)
  if (options.dryRun) {
    const loads = [...new Set(risks.flatMap(risk => risk.file ?? []))]
    const dry = dryRun(workflow, withStart<S>(draft, null), limits, env, loads)
    frontend.preview({ ...dry, warnings: aboutProtect() }, settings.output)
    return 0
  }
  const home = ralphHome(env)
  await requireTrust({ home, project, found: risks, own: ownRisks, flag: options.trust ?? false, env })
  const gitEnv = gitEnvironment(settings, env)
  const here = await recordStart(project, gitEnv)
  // If it is refused, no branch and no worktree has been made.
  const sandbox = await chooseSandbox(
    settings.sandbox.mode,
    { project, start: here, worktrees: draft.worktrees === true || options.enter !== undefined, home },
    env,
  )
  if (sandbox.mode === 'docker' && options.shared)
    throw new UsageError('sandbox docker: it has one clone, so --shared is not possible; use srt')
  const entered = await options.enter?.(project, settings)
  if (options.branch !== undefined) await startBranch(project, options.branch, gitEnv)
  const place = entered ? { project: entered.project, sessions: entered.sessions } : { project }
  const hasMoved = entered !== undefined || options.branch !== undefined
  const start = hasMoved ? await recordStart(place.project, gitEnv) : here
  if (draft.worktrees) await requireBranch(start, gitEnv)
  const spec = withStart<S>(withSandbox({ ...draft, ...place }, sandbox), start)
  const ownWarnings = workflow.warnings?.(spec, limits) ?? []
  const warnings = [
    ...warningsOf(spec, env, sandbox.why, start ? null : await whyUnreadable(place.project, gitEnv)),
    ...ownWarnings,
    ...aboutProtect(),
    ...notes,
    ...(entered?.notes ?? []),
  ]
  const id = newRunId(new Date(), Math.random())
  const verbose = options.verbose ? [verboseLines(workflow, spec, limits, sources, env, printError)] : []
  const launch = options.launch ?? launchHere
  return launch({
    home,
    id,
    workflow,
    spec,
    limits,
    warnings,
    env,
    frontend,
    rows: factRows(workflow, spec, limits),
    listeners: verbose,
    shared: options.shared ?? false,
  })
}

/** Worktrees of tasks need a branch to merge into, a commit to begin from, and an author for the commits. */
async function requireBranch(start: Start | null, env: Record<string, string>): Promise<void> {
  const need = (what: string) => new UsageError(`worktrees of tasks (--parallel, --worktree) need ${what}`)
  if (!start) throw need('a git repository; make one with: git init')
  if (start.head === null) throw need('a commit to begin from; make the first one, then try again')
  if (start.branch === null) throw need('a branch to merge into; go to one with: git switch')
  if ((await git(start.root, env, ['var', 'GIT_COMMITTER_IDENT'])) === null)
    throw need('an author for their commits; tell git with: git config user.name and user.email')
}

/** Hosts the run in this process until it ends or stops. */
export const launchHere: Launch = ({ shared, ...run }) =>
  withLocks({ home: run.home, id: run.id, project: run.spec.project, shared }, () =>
    hostRun({ ...run, past: [] }),
  )

const withStart = <S extends RunSpec>(draft: DraftSpec<S>, start: Start | null): S =>
  ({ ...draft, start }) as S

/** The flags that override a setting, in the settings' own shape. */
function flagsOf(o: CommonOptions): Flags {
  const set = <T>(key: string, value: T | undefined) => (value === undefined ? {} : { [key]: value })
  return {
    ...set('parallel', o.parallel),
    ...set('streamAgentOutput', o.streamAgentOutput),
    ...set('inactivityTimeout', o.inactivityTimeout),
    ...set('screenInactivityTimeout', o.inactivityTimeout),
    ...set('iterationTimeout', o.iterationTimeout),
    ...(o.sandbox === undefined ? {} : { sandbox: { mode: sandboxMode(o.sandbox) } }),
    ...(o.model === undefined ? {} : { agent: { model: o.model } }),
    budget: {
      ...set('usd', o.maxCost),
      ...set('tokens', o.maxTokens),
      ...set('minutes', o.maxTime === undefined ? undefined : o.maxTime / 60),
    },
  }
}

/** Whether each task has a worktree of its own: several are worked on at once, or that was asked for. */
export const ownTrees = (
  { worktree, detach }: CommonOptions,
  { parallel }: Settings,
): { worktrees?: true } => (parallel > 1 || (worktree && !detach) ? { worktrees: true } : {})

const MODES: readonly string[] = ['auto', 'docker', 'srt', 'none']

/** What `--sandbox` and `--no-sandbox` mean. */
function sandboxMode(given: string | boolean): SandboxMode {
  if (typeof given === 'boolean') return given ? 'docker' : 'none'
  if (!MODES.includes(given))
    throw new UsageError(`--sandbox must be auto, docker, srt or none, not ${quote(given)}`)
  return given as SandboxMode
}

/** The limit that -m, -n and --once give. Undefined if none was given. */
export function iterationLimit({
  once,
  maxIterations,
  maximumIterations,
}: CommonOptions): number | undefined {
  const iterations = maxIterations ?? maximumIterations
  if (!once) return iterations
  if (iterations !== undefined) throw new UsageError('-m cannot be used with --once, which is one iteration')
  return 1
}
