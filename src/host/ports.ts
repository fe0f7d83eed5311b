import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { ALLOW_VARIABLE, writeAllowlist } from '../blocklist/allowlist.ts'
import type { RunEvent } from '../core/events.ts'
import { CannotGoOn, type Controls, type Ports } from '../core/ports.ts'
import type { Limits, StepId } from '../core/table.ts'
import { lookOf } from '../git/start.ts'
import { watchFiles } from '../git/watch-files.ts'
import { watchHead } from '../git/watch-head.ts'
import type { RunRunner } from '../runners/index.ts'
import type { Session } from '../store/session.ts'
import { gitEnvironment, type RunSpec } from '../workflows/spec.ts'
import type { Active, Workflow } from '../workflows/workflow.ts'
import { caller } from './call.ts'
import { composeChecks } from './checks.ts'
import { composeProtection } from './protection.ts'
import { openAgents } from './ready-agents.ts'
import { composeScm } from './scm.ts'

export type PortsOptions = {
  workflow: Workflow
  spec: RunSpec
  limits: Limits
  env: NodeJS.ProcessEnv
  runner: RunRunner
  session: Session
  tell(event: RunEvent): void
  controls: Controls
  /** The run's own folder. */
  runDir: string
  home: string
  /** Ends what runs outside the loop's own steps, too. */
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
export function composePorts({
  workflow,
  spec,
  limits,
  env,
  runner,
  session,
  tell,
  controls,
  runDir,
  home,
  hard,
  lastCommit,
  isFresh,
  isFirst,
  active,
  ready,
}: PortsOptions): Ports {
  const { settings, project } = spec
  const now = () => Date.now()
  const agents = openAgents({ spec, runner, env, cacheDir: join(home, 'cache') })
  const table = workflow.table(spec)
  const checkEnv = { ...gitEnvironment(settings, env), ...runner.marks }
  const head = spec.start && watchHead(spec.start, lastCommit ?? spec.start.head, tell, now)
  const files = watchFiles(
    project,
    { root: spec.start?.root ?? null, known: isFresh && spec.start ? lookOf(spec.start) : null },
    checkEnv,
    tell,
    now,
  )
  const protect = composeProtection(spec, workflow.protectedAreas(spec), runDir, checkEnv)
  const checks = composeChecks({ spec, runner, session, env: checkEnv })
  const marks = {
    ...runner.marks,
    RALPH_WORKFLOW: spec.workflow,
    [ALLOW_VARIABLE]: writeAllowlist(settings.blocklist.allow),
  }
  const scm = composeScm({
    spec,
    runner,
    session,
    hard,
    agentFor: state => {
      const ready = agents.ready(agents.free(state, now()))
      return { ...ready, ask: { ...ready.ask, marks } }
    },
    env: checkEnv,
    moved: to => head?.moved(to),
    async tidy(id) {
      await runner.sweep(id)
      await protect.restore()
      for (const check of protect.checks()) {
        const { finding } = await check.run(null, hard)
        tell({ type: 'warned', at: now(), note: finding.note })
      }
    },
  })

  const call = caller({
    runner,
    desk: session,
    agentOf: agents.ready,
    budgetLeft: state => (limits.usd === null ? null : Math.max(limits.usd - state.spent.usd, 0)),
    cwd: project,
    now,
    warn: note => tell({ type: 'warned', at: now(), note }),
    marks: work => ({ ...marks, RALPH_STAGE: work.stage, ...active.env?.(work) }),
    ready,
  })

  /** What a check left running could write into a list once it is people's again, and pass for them. */
  const endChecks = async (id: StepId | null) => {
    if (workflow.listed && checks.length > 0) await runner.sweep(id)
  }

  /** A review must not read what the code that it is about wrote while it was checked. */
  const putBack = async (record: (event: RunEvent) => void) => {
    const put = workflow.guardsChecks && existsSync(project) ? await protect.restore() : []
    if (put.length > 0)
      record({
        type: 'warned',
        at: now(),
        note: `protected files were changed while the checks ran, and are put back: ${put.join(', ')}`,
      })
  }

  /** While the checks before the first iteration run: they may be of code that an earlier run left to review. */
  let guarded: Promise<void> | null = null
  const guard = () => {
    const taken = protect.take()
    // Heard of by whoever waits for it, which is only once the checks have ended.
    taken.catch(() => {})
    return taken
  }

  /** A commit of the workflow's is none of the agent's. */
  const follow = (record: (event: RunEvent) => void) => (event: RunEvent) => {
    if (event.type === 'committed') head?.moved(event.to)
    record(event)
  }

  return {
    clock: {
      now,
      elapsed: () => Math.round(performance.now()),
      after(ms, call) {
        const timer = setTimeout(call, ms)
        return () => clearTimeout(timer)
      },
    },
    emit: tell,
    controls,
    agentsFor: stage => agents.namesFor(table.stages[stage]?.role),
    async brief(work) {
      needProject(project)
      runner.ready()
      const prompt = await active.buildPrompt(work, follow(tell))
      await protect.take()
      await files.begin()
      return prompt
    },
    async call(work, prompt, listener) {
      // Nothing to wait for is no reason to let others go first.
      const started = active.onAgentStart?.(work)
      if (started) await started
      return call(work, prompt, listener)
    },
    runner: {
      reap: runner.reap,
      async sweep(id) {
        await runner.sweep(id)
        // Putting back a few files of a project that is gone would make something that looks like one.
        if (existsSync(project)) await protect.restore()
        files.prepare()
      },
    },
    checks(work) {
      needProject(project)
      if (!work.step && isFirst && workflow.guardsChecks) guarded = guard()
      return active.checks(work, [...protect.checks(), ...checks])
    },
    checksAtOnce: settings.guardrailParallelism,
    fingerprint: files.fingerprint,
    ...(active.claimsAtExit && { witness: active.claimsAtExit }),
    ...(active.onLeave && { leave: active.onLeave }),
    ...(active.onRequest && { onRequest: active.onRequest }),
    claims: active.claims,
    async edits(_tasks, state) {
      if (state.steps === 0) await endChecks(null)
      if (guarded) await guarded.then(() => putBack(tell))
      guarded = null
      return active.adoptEdits()
    },
    apply: async (settled, _tasks, state, record) => {
      await endChecks(settled.id)
      await putBack(record)
      // With an intent on record the agent's commits are, too: what came after it may be ralph's own.
      if (!state.intents[settled.id]) head?.look(settled.id)
      await active.apply(settled, follow(record))
      await files.record(settled.id)
      await scm?.(settled, state, record)
    },
  }
}

function needProject(project: string): void {
  if (!existsSync(project)) throw new CannotGoOn(`the project ${project} is gone`)
}
