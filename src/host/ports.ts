import { join } from 'node:path'
import { ALLOW_VARIABLE, writeAllowlist } from '../blocklist/allowlist.ts'
import type { RunEvent } from '../core/events.ts'
import type { Clock, Controls, Ports } from '../core/ports.ts'
import type { Limits } from '../core/table.ts'
import type { RunRunner } from '../runners/index.ts'
import type { Session } from '../store/session.ts'
import { gitEnvironment, type RunSpec } from '../workflows/spec.ts'
import type { Active, Workflow } from '../workflows/workflow.ts'
import { caller } from './call.ts'
import { openAgents } from './ready-agents.ts'
import { needFolder, openWorkspaces } from './workspace.ts'

export type PortsOptions = {
  workflow: Workflow
  spec: RunSpec
  limits: Limits
  env: NodeJS.ProcessEnv
  runner: RunRunner
  session: Session
  emit(event: RunEvent): void
  controls: Controls
  /** The run's own folder. */
  runDir: string
  home: string
  /** Also ends what runs outside a step, such as a git command. */
  hard: AbortSignal
  /** Where HEAD was when the run was last at work. */
  lastCommit: string | null
  /** Nothing was done yet: the tree is as the spec says. */
  isFresh: boolean
  /** No iteration has begun yet. */
  isFirst: boolean
  active: Active
  /** What to wait for before more of an agent's output is read; null: nothing. */
  ready(): Promise<void> | null
}

/** Builds every adapter of a run. The only place that knows them all. */
export function composePorts(options: PortsOptions): Ports {
  const { workflow, spec, limits, env, runner, session, emit, active } = options
  const { settings, project } = spec
  const table = workflow.table(spec)
  const agents = openAgents({ spec, runner, env, cacheDir: join(options.home, 'cache') })
  const marks = {
    ...runner.marks,
    RALPH_WORKFLOW: spec.workflow,
    [ALLOW_VARIABLE]: writeAllowlist(settings.blocklist.allow),
  }
  const workspaces = openWorkspaces({
    ...options,
    env: { ...gitEnvironment(settings, env), ...runner.marks },
    agentFor: state => {
      const ready = agents.ready(agents.free(state, Date.now()))
      return { ...ready, ask: { ...ready.ask, marks } }
    },
  })
  const call = caller({
    runner,
    session,
    agentOf: agents.ready,
    budgetLeft: state => (limits.usd === null ? null : Math.max(limits.usd - state.spent.usd, 0)),
    now: () => Date.now(),
    warn: note => emit({ type: 'warned', at: Date.now(), note }),
    marks: work => ({ ...marks, RALPH_STAGE: work.stage, ...active.env?.(work) }),
    ready: options.ready,
  })

  return {
    clock: systemClock,
    emit,
    controls: options.controls,
    agentsFor: stage => agents.namesFor(table.stages[stage]?.role),
    workspaceFor: task => active.workspaceFor?.(task),
    async buildPrompt(work) {
      needFolder(project)
      runner.ready()
      const workspace = await workspaces.of(work.step.workspace)
      const prompt = await active.buildPrompt(work, workspace.follow(emit))
      await workspace.beforeAgent()
      return prompt
    },
    async call(work, prompt, listener) {
      // Await only a promise: an await costs a turn of the event loop before the agent starts.
      const started = active.onAgentStart?.(work)
      if (started) await started
      const { workspace } = work.step
      const { dir } = workspace === undefined ? workspaces.project : await workspaces.of(workspace)
      return call(work, prompt, dir, listener)
    },
    reap: runner.reap,
    async cleanUp({ id, workspace }) {
      await runner.sweep(id)
      await (await workspaces.of(workspace)).afterAgent()
    },
    async act(work) {
      const workspace = await workspaces.of(work.step.workspace)
      return (await active.act?.(work, workspace.follow(emit))) ?? []
    },
    async checks(work) {
      const workspace = await workspaces.of(work.step?.workspace)
      if (!work.step && options.isFirst) workspace.guardFirstChecks()
      return active.checks(work, workspace.checks())
    },
    checksAtOnce: settings.guardrailParallelism,
    fingerprint: async workspace => (await workspaces.of(workspace)).fingerprint(),
    ...(active.claimsAtExit && { claimsAtExit: active.claimsAtExit }),
    ...(active.onLeave && { onLeave: active.onLeave }),
    ...(active.onRequest && { onRequest: active.onRequest }),
    claims: active.claims,
    async adoptEdits(_tasks, state) {
      if (state.steps === 0) await workspaces.project.endFirstChecks()
      return active.adoptEdits()
    },
    async apply(settled, _tasks, state, record) {
      const workspace = await workspaces.of(settled.workspace)
      await workspace.apply(settled, state, record, follow => active.apply(settled, follow))
    },
  }
}

const systemClock: Clock = {
  now: () => Date.now(),
  elapsed: () => Math.round(performance.now()),
  after(ms, call) {
    const timer = setTimeout(call, ms)
    return () => clearTimeout(timer)
  },
}
