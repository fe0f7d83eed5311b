import { join } from 'node:path'
import { ALLOW_VARIABLE, writeAllowlist } from '../blocklist/allowlist.ts'
import type { Clock, Controls, Ports } from '../core/ports.ts'
import type { RunState } from '../core/table.ts'
import type { Book } from '../engine/book.ts'
import type { RunRunner } from '../runners/index.ts'
import { confinedRunner } from '../runners/run-command.ts'
import type { Session } from '../store/session.ts'
import { gitEnvironment, type RunSpec } from '../workflows/spec.ts'
import type { Active, Workflow } from '../workflows/workflow.ts'
import { type AgentPool, openAgents } from './agents/agent-pool.ts'
import { programFolders } from './agents/agents.ts'
import { agentAsker } from './agents/ask.ts'
import { judgeAsker } from './agents/ask-judge.ts'
import { agentCaller, type CallAgent } from './agents/call.ts'
import { confinementOf } from './checks.ts'
import { processClock } from './clock.ts'
import { openWorkspaces, type Workspaces } from './worktrees/workspaces.ts'
import { type HostedWorktrees, openWorktrees } from './worktrees/worktrees.ts'

export type AdaptersOptions = {
  workflow: Workflow
  spec: RunSpec
  env: NodeJS.ProcessEnv
  runner: RunRunner
  session: Session
  book: Book
  /** The run's own folder. */
  runDir: string
  home: string
  /** Also ends what runs outside a step, such as a git command. */
  hard: AbortSignal
  /** Where HEAD was when the run was last at work. */
  lastCommit: string | null
  /** Where it was before the steps that are not applied yet. */
  commitBefore: string | null
  /** Nothing was done yet: the tree is as the spec says. */
  isFresh: boolean
  /** What to wait for before more of an agent's output is read. Null for nothing. */
  backPressure(): Promise<void> | null
}

export type PortsOptions = Pick<AdaptersOptions, 'spec' | 'runner' | 'book'> & {
  adapters: Adapters
  active: Active
  controls: Controls
}

/** What a run works with: agents and workspaces. */
export type Adapters = {
  clock: Clock
  agents: AgentPool
  /** Environment variables for every agent. */
  marks: Record<string, string>
  call: CallAgent
  workspaces: Workspaces
  /** Null if every task is worked on in the project. */
  worktrees: HostedWorktrees | null
}

/** Builds the adapters of a run. The only place that knows them all. */
export function openAdapters(options: AdaptersOptions): Adapters {
  const { spec, env, runner, session, book } = options
  const { record } = book
  const { settings } = spec
  const state = () => book.state
  const agents = openAgents({ spec, runner, env, cacheDir: join(options.home, 'cache') })
  const marks = {
    ...runner.marks,
    RALPH_WORKFLOW: spec.workflow,
    [ALLOW_VARIABLE]: writeAllowlist(settings.blocklist.allow),
  }
  const clock = processClock()
  const { width } = book.table
  const budgetLeft = () => {
    const { limits, spent } = book.state
    // A question may be asked beside the work of others.
    return limits.usd === null ? null : Math.max(limits.usd - spent.usd, 0) / width
  }
  const call = agentCaller({
    runner,
    session,
    callable: agents.callable,
    programFolders: programFolders(spec),
    now: () => Date.now(),
    warn: note => record({ type: 'warned', at: Date.now(), note }),
    backPressure: options.backPressure,
  })
  const asking = {
    call,
    agents,
    clock,
    marks,
    state,
    budgetLeft,
    record,
    hard: options.hard,
  }
  const gitEnv = { ...gitEnvironment(settings, env), ...runner.ownMarks }
  const workspaces = openWorkspaces({
    ...options,
    state,
    record,
    env: gitEnv,
    ask: agentAsker(asking),
    askJudge: judgeAsker({
      ...asking,
      model: settings.agents.judge?.model ?? null,
      cacheDir: join(options.home, 'cache'),
      warn: note => record({ type: 'warned', at: Date.now(), note }),
    }),
    clock,
  })
  const worktrees = spec.worktrees
    ? openWorktrees({
        runDir: options.runDir,
        spec,
        state,
        record,
        env: gitEnv,
        hard: options.hard,
        run: confinedRunner(runner, confinementOf(settings), options.hard),
        workspaces,
      })
    : null
  return {
    clock,
    agents,
    marks,
    call,
    workspaces,
    worktrees,
  }
}

/** What the engine needs, from the adapters and the workflow. */
export function composePorts(options: PortsOptions): Ports {
  const { spec, runner, book, active, adapters } = options
  const { agents, workspaces, worktrees, call } = adapters
  const { settings } = spec

  return {
    clock: adapters.clock,
    emit: book.record,
    controls: options.controls,
    agentsFor: stage => agents.namesFor(book.table.stages[stage]?.role),
    chooseWorkspace: task => active.chooseWorkspace?.(task),
    workspaceOf: workspaces.of,
    async buildPrompt(work) {
      workspaces.project.needFolder()
      await runner.requireWarden()
      const prompt = await active.buildPrompt(work)
      await work.workspace.beforeAgent()
      return withDenied(prompt, work.state.sandbox)
    },
    async call(work, prompt, listener) {
      await active.onAgentStart?.(work)
      const { id, agent, usd = null } = work.step
      return call(
        {
          id,
          agent: agent ?? '',
          prompt,
          cwd: work.workspace.dir,
          budgetUsd: usd,
          marks: { ...adapters.marks, RALPH_STAGE: work.stage, ...active.env?.(work) },
          about: { stage: work.stage },
        },
        listener,
      )
    },
    reap: runner.reap,
    act: async work => (await active.act?.(work, work.workspace.noteCommits(book.record))) ?? [],
    complete: async work => (await active.complete?.(work)) ?? [],
    checks: active.checks,
    // Side by side they would overwrite each other's files in the clone inside.
    checksAtOnce: settings.sandbox.mode === 'docker' ? 1 : settings.guardrailParallelism,
    ...(active.claimsAtExit && { claimsAtExit: active.claimsAtExit }),
    ...(active.onLeave && { onLeave: active.onLeave }),
    ...(active.onRequest && { onRequest: active.onRequest }),
    claims: active.claims,
    adoptEdits: active.adoptEdits,
    async apply(settled) {
      const { workspace: name, id } = settled
      // The state before: a commit that the workflow intends itself is not that of the SCM step.
      const { state, record } = book
      if (name !== undefined && worktrees?.isGone(name)) {
        await active.apply(settled, record, null)
        return worktrees.close(name)
      }
      const workspace = await workspaces.of(name)
      await workspace.beforeApply(settled, state)
      await active.apply(settled, workspace.noteCommits(record), workspace)
      await workspace.commit(settled, state)
      if (name === undefined || !state.workspaces[name]?.merged) return
      await workspaces.project.share(id)
      await worktrees?.close(name)
    },
  }
}

/** Adds to a prompt what the agent cannot reach or write, so that it does not try it again and again. */
function withDenied(prompt: string, { denied, refused }: RunState['sandbox']): string {
  const kept = [
    ...(denied.length > 0 ? [`It does not let you reach: ${denied.join(', ')}.`] : []),
    ...(refused.length > 0 ? [`It does not let you write: ${refused.join(', ')}.`] : []),
  ]
  if (kept.length === 0) return prompt
  return `${prompt.trimEnd()}\n\nYou work in a sandbox. ${kept.join(' ')} Continue without them. The user has been informed.\n`
}
