import { basename } from 'node:path'
import type { RunEvent, Settled } from '../core/events.ts'
import { listPaths } from '../core/format.ts'
import type { Env } from '../core/ports.ts'
import { COMMIT, type RunState, type StepId } from '../core/table.ts'
import { changesSince } from './changes.ts'
import { commitWork, intend, isNothing, NO_MESSAGE, NOTHING, optionsForHooks } from './commit/commit-work.ts'
import { committedSince } from './commit/committed.ts'
import type { LockWait } from './locks/lasting.ts'
import type { Start } from './start.ts'
import { ignoredAtStart } from './status.ts'

export type Scm = {
  /** As the settings name it. */
  command: string
  /** Where it was found when the run began. */
  program: string
  /** The words of each task: `commit`, `push`, `push origin HEAD`. */
  tasks: string[][]
  /** The hooks of the repository are not run. */
  noHooks?: true
}

export type ScmPorts = {
  record(event: RunEvent): void
  now(): number
  /** The agent's answer to the fixed prompt. Empty if it gave none. `changes` is what the message is about. */
  ask(id: StepId, changes: string): Promise<string>
  /** Those of these paths that were changed since, or while, they were checked. */
  unchecked(paths: readonly string[], settled: CommittedStep): Promise<readonly string[]>
  /** Runs a command with this text on its standard input. Returns why it failed, as the end of a sentence, or null. */
  run(argv: string[], id: StepId, input: string, log: string): Promise<string | null>
  /** How to wait for git's locks. */
  locks(): LockWait
}

/** The SCM step: both parts are safe to repeat. */
export type ScmStep = {
  /** Asks for the message and journals the intended commit. No agent is called later: it could change what was checked. */
  prepare(id: StepId, state: RunState): Promise<void>
  /** Commits and pushes the work of a green iteration. A failure is only a warning, because the work is in the tree. */
  apply(settled: Settled, state: RunState): Promise<void>
  /** Commits what there is, whatever became of the iteration. Returns why it failed, or null. */
  commit(step: CommittedStep, state: RunState): Promise<string | null>
  /** Does the tasks other than `commit`, for work that is committed. A failure is only a warning. */
  share(id: StepId): Promise<void>
}

export type CommittedStep = Pick<Settled, 'id' | 'workspace' | 'tree'>

/** The SCM of one use, and what that has found so far. */
export type ScmState = Readonly<Scm> & {
  readonly start: Start | null
  readonly env: Env
  readonly ports: ScmPorts
  readonly isGit: boolean
  warn(note: string): void
  /** The user knows that hooks changed. */
  saidHooks: boolean
  /** How hooks made the latest commit something else than what was checked. Null if they did not. */
  hooked: string | null
}

export function openScm(settings: Scm, start: Start | null, env: Env, ports: ScmPorts): ScmStep {
  const scm: ScmState = {
    ...settings,
    start,
    env,
    ports,
    isGit: basename(settings.command) === 'git',
    warn: note => ports.record({ type: 'warned', at: ports.now(), note }),
    saidHooks: false,
    hooked: null,
  }
  return {
    prepare: (id, state) => prepare(scm, id, state),
    apply: (settled, state) => applyTasks(scm, settled, state),
    async commit(step, state) {
      const failure = await commit(scm, step, [], state)
      return failure === NOTHING ? null : failure
    },
    async share(id) {
      for (const [task = '', ...words] of scm.tasks)
        if (task !== 'commit' && !hasRun(scm, task, await runTask(scm, id, task, words))) return
    },
  }
}

async function prepare(scm: ScmState, id: StepId, { intents }: RunState): Promise<void> {
  const { start, env, isGit } = scm
  if (!scm.tasks.some(([task]) => task === 'commit') || (isGit && !start)) return
  const changes = isGit && start ? await changesSince(start, env) : null
  if (isGit && (!changes || isNothing(changes.ours))) return
  await intend(scm, id, changes, intents[id])
}

async function applyTasks(scm: ScmState, settled: Settled, state: RunState): Promise<void> {
  if (settled.end !== 'ok' || settled.findings.some(f => f.verdict !== 'pass')) return
  for (const [task = '', ...words] of scm.tasks) {
    const isCommit = task === 'commit'
    const failure = await (isCommit
      ? commit(scm, settled, words, state)
      : runTask(scm, settled.id, task, words))
    if (isCommit) doubt(scm, settled, state, failure ?? scm.hooked)
    if (!hasRun(scm, task, failure)) return
  }
}

/** Whether a task was done. If it failed, warns that the others are skipped. */
function hasRun({ command, warn }: ScmState, task: string, failure: string | null): boolean {
  if (failure !== null && failure !== NOTHING)
    warn(`${command} ${task} ${failure}; the other SCM tasks are skipped`)
  return failure === null
}

const runTask = async (
  scm: ScmState,
  id: StepId,
  task: string,
  words: readonly string[],
): Promise<string | null> =>
  (await leak(scm)) ??
  scm.ports.run([scm.program, ...(await optionsForHooks(scm)), task, ...words], id, '', task)

function commit(
  scm: ScmState,
  settled: CommittedStep,
  words: readonly string[],
  state: RunState,
): Promise<string | null> | string {
  if (scm.isGit) return commitWork(scm, settled, words, state)
  const message = state.intents[settled.id]?.message
  if (message === undefined) return NO_MESSAGE
  return scm.ports.run([scm.program, 'commit', ...words, '-am', message], settled.id, '', 'commit')
}

/** A run that was to commit its work and could not is not verified. */
function doubt(
  { command, ports }: ScmState,
  { id, workspace = '' }: Settled,
  { doubts }: RunState,
  failure: string | null,
): void {
  const why = failure === null || failure === NOTHING ? null : `${command} commit ${failure}`
  const isKnown = doubts[workspace]?.some(({ check }) => check === COMMIT) ?? false
  if (why !== null || isKnown) ports.record({ type: 'doubted', at: ports.now(), id, check: COMMIT, why })
}

/** Why nothing may be pushed: commits contain what was ignored when the run began. Otherwise null. */
async function leak({ start, env, isGit }: ScmState): Promise<string | null> {
  if (!start?.ignored?.length || !isGit) return null
  const paths = (await committedSince(start, env)).filter(ignoredAtStart(start))
  if (paths.length === 0) return null
  return `is not run, because commits contain files that git ignored when the run began, and they may be secret: ${listPaths(paths)}`
}
