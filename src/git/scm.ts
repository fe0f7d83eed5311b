import { basename } from 'node:path'
import type { RunEvent, Settled } from '../core/events.ts'
import { listPaths } from '../core/format.ts'
import { COMMIT, type Intent, type RunState, type StepId } from '../core/table.ts'
import { type Changes, changesSince } from './changes.ts'
import {
  changedByHooks,
  committedSince,
  isIntendedCommit,
  namesToCommit,
  stagedNow,
} from './commit/committed.ts'
import { commitMessage } from './commit/message.ts'
import { git, QUIET } from './git.ts'
import { unhide } from './hidden.ts'
import { hooksOf } from './hooks.ts'
import { describeLocks } from './locks/find.ts'
import { type LockWait, pastLocks } from './locks/lasting.ts'
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
  /** The agent's answer to the fixed prompt; empty if it gave none. `changes`: what the message is about. */
  ask(id: StepId, changes: string): Promise<string>
  /** Those of these paths that were changed since, or while, they were checked. */
  unchecked(paths: readonly string[], settled: CommittedStep): Promise<readonly string[]>
  /** Runs a command with this text on its standard input; null if it succeeded, else why not, as the end of a sentence. */
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
  /** Commits what there is, whatever became of the iteration. Returns why it failed; null: it did not. */
  commit(step: CommittedStep, state: RunState): Promise<string | null>
  /** Does the tasks other than `commit`, for work that is committed. A failure is only a warning. */
  share(id: StepId): Promise<void>
}

type CommittedStep = Pick<Settled, 'id' | 'workspace' | 'tree'>

export function openScm(
  scm: Scm,
  start: Start | null,
  env: Record<string, string>,
  ports: ScmPorts,
): ScmStep {
  const warn = (note: string) => ports.record({ type: 'warned', at: ports.now(), note })
  const isGit = basename(scm.command) === 'git'
  let isTold = false
  /** Why the latest commit is not what was checked; null: it is. */
  let hooked: string | null = null

  async function prepare(id: StepId, { intents }: RunState): Promise<void> {
    if (!scm.tasks.some(([task]) => task === 'commit') || (isGit && !start)) return
    const changes = isGit && start ? await changesSince(start, env) : null
    if (isGit && (!changes || isNothing(changes.ours))) return
    await intend(id, changes, intents[id])
  }

  /** Journals the commit before it is made; null if there is no message. */
  async function intend(id: StepId, changes: Changes | null, known?: Intent): Promise<Intent | null> {
    const parent = changes?.head ?? null
    if (known?.parent === parent) return known
    const message = known?.message ?? commitMessage(await ports.ask(id, await describeChanges(changes)))
    if (message === null) return null
    ports.record({ type: 'committing', at: ports.now(), id, parent, message })
    return { parent, message }
  }

  /** For an agent without tools. Nothing that the repository configures runs. */
  async function describeChanges(changes: Changes | null): Promise<string> {
    if (!changes || !start) return ''
    const plain = ['--no-ext-diff', '--no-textconv', '--no-color']
    const diff =
      changes.head === null
        ? ''
        : await git(start.root, env, [
            '--literal-pathspecs',
            'diff',
            ...plain,
            changes.head,
            '--',
            ...changes.ours.slice(0, MOST_PATHS),
          ])
    const files = changes.ours.slice(0, MOST_PATHS).join('\n')
    return `Changed files:\n${files}\n\n${diff ?? ''}`.slice(0, LONGEST_CHANGES)
  }

  async function apply(settled: Settled, state: RunState): Promise<void> {
    if (settled.end !== 'ok' || settled.findings.some(f => f.verdict !== 'pass')) return
    for (const [task = '', ...words] of scm.tasks) {
      const failure =
        task === 'commit' ? await commit(settled, words, state) : await runTask(settled.id, task, words)
      if (task === 'commit') doubt(settled, state, failure ?? hooked)
      if (failure === null) continue
      if (failure !== NOTHING) warn(`${scm.command} ${task} ${failure}; the other SCM tasks are skipped`)
      return
    }
  }

  const runTask = async (id: StepId, task: string, words: readonly string[]): Promise<string | null> =>
    (await leak()) ?? ports.run([scm.program, ...(await withoutHooks()), task, ...words], id, '', task)

  async function share(id: StepId): Promise<void> {
    for (const [task = '', ...words] of scm.tasks) {
      const failure = task === 'commit' ? null : await runTask(id, task, words)
      if (failure === null) continue
      warn(`${scm.command} ${task} ${failure}; the other SCM tasks are skipped`)
      return
    }
  }

  /** A run that was to commit its work and could not is not verified. */
  function doubt({ id, workspace = '' }: Settled, { doubts }: RunState, failure: string | null): void {
    const why = failure === null || failure === NOTHING ? null : `${scm.command} commit ${failure}`
    const isKnown = doubts[workspace]?.some(({ check }) => check === COMMIT) ?? false
    if (why !== null || isKnown) ports.record({ type: 'doubted', at: ports.now(), id, check: COMMIT, why })
  }

  async function commit(settled: CommittedStep, words: string[], state: RunState): Promise<string | null> {
    const { id } = settled
    const intent = state.intents[id]
    if (!isGit)
      return intent
        ? ports.run([scm.program, 'commit', ...words, '-am', intent.message], id, '', 'commit')
        : NO_MESSAGE
    if (!start) return 'is not possible: this is not a git repository'
    const changes = await changesSince(start, env)
    if (!changes) return 'is not possible: git does not answer'
    if (intent?.made) return null
    if (intent && changes.head !== null && (await isIntendedCommit(start.root, env, changes.head, intent))) {
      recordCommit(id, intent.parent, changes.head)
      return null
    }
    if (intent && changes.head !== intent.parent)
      return 'is left to you: HEAD has moved since it was intended'
    for (const [paths, why] of [
      [changes.mixed, 'they had changes of yours before the run'],
      [changes.repositories, 'they are repositories of their own'],
      [changes.ignored, 'git ignored them when the run began'],
      [changes.unlisted, 'the run took them out of git and had git ignore them'],
      [changes.submodules, 'files in these submodules changed, and only you can commit there'],
      [changes.unnameable, 'their names are not UTF-8'],
      [changes.special, 'they are neither files nor links'],
      [changes.flagged, 'git was told before the run not to look at them'],
    ] as const)
      if (paths.length > 0) warn(`left uncommitted, because ${why}: ${paths.join(', ')}`)
    if (isNothing(changes.ours)) return changes.head === start.head ? NOTHING : null
    // What is committed before a merge was not checked, so it was not prepared.
    const intended = intent ?? (settled.tree === undefined ? await intend(id, changes) : null)
    if (!intended) return NO_MESSAGE
    const unchecked = new Set(await ports.unchecked(changes.ours, settled))
    if (unchecked.size > 0)
      warn(
        `left uncommitted, because they changed while or after they were checked: ${[...unchecked].join(', ')}`,
      )
    const checked = changes.ours.filter(path => !unchecked.has(path))
    if (isNothing(checked)) return NOTHING
    const hidden = changes.hidden.filter(([path]) => !unchecked.has(path))
    if (hidden.length > 0) {
      // A file that changed a moment ago may look unchanged to git too, and nobody hid it.
      const flagged = hidden.flatMap(([path, by]) => (typeof by === 'string' ? [path] : []))
      if (flagged.length > 0)
        warn(
          `flags of the index hid these changes from git; they are committed like all others: ${listPaths(flagged)}`,
        )
      const failure = await whenUnlocked(start, () =>
        unhide(start.root, env, hidden).then(
          () => null,
          (error: Error) => `is not possible: ${error.message}`,
        ),
      )
      if (failure !== null) return failure
    }
    const { failure, wanted } = await commitPaths(start, checked, intended.message, words, id)
    const head = (await git(start.root, env, ['rev-parse', 'HEAD']))?.trim() ?? ''
    // A git that was killed may have made it all the same.
    if (failure !== null && !(await isIntendedCommit(start.root, env, head, intended))) return failure
    recordCommit(id, changes.head, head)
    await compareCommit(start, { from: changes.head, to: head }, wanted)
    return null
  }

  /** Why nothing may be pushed: what was ignored when the run began is in its commits. null: nothing is. */
  async function leak(): Promise<string | null> {
    if (!start?.ignored?.length || !isGit) return null
    const paths = (await committedSince(start, env)).filter(ignoredAtStart(start))
    if (paths.length === 0) return null
    return `is not run, because commits contain files that git ignored when the run began, and they may be secret: ${listPaths(paths)}`
  }

  function recordCommit(id: StepId, from: string | null, to: string): void {
    ports.record({ type: 'committed', at: ports.now(), id, by: 'ralph', from, to })
  }

  /** Hooks do not run if they changed during the run. */
  async function withoutHooks(): Promise<string[]> {
    if (!isGit || !start) return []
    if (scm.noHooks) return NO_HOOKS
    if ((await hooksOf(start.root, env)) === start.hooks) return []
    if (!isTold) warn('the git hooks were changed during the run, so they are not run')
    isTold = true
    return NO_HOOKS
  }

  /** Commits only these paths, even if the user has staged others. */
  async function commitPaths(
    from: Start,
    paths: string[],
    message: string,
    words: string[],
    id: StepId,
  ): Promise<{ failure: string | null; wanted: ReadonlyMap<string, string> }> {
    const base = [scm.program, ...QUIET, '-C', from.root, '--literal-pathspecs', ...(await withoutHooks())]
    const input = paths.join('\0')
    const run = (argv: string[], lines: string, log: string) =>
      whenUnlocked(from, () => ports.run(argv, id, lines, log))
    const added = await run([...base, 'add', '--all', ...LISTED], input, 'add')
    if (added !== null) return { failure: added, wanted: new Map() }
    // git refuses to commit a path by name that was staged and then removed: it is in neither tree.
    const staged = await stagedNow(from.root, env)
    const ours = new Set(paths)
    const wanted = new Map([...staged].filter(([path]) => ours.has(path)))
    const { names, left } = namesToCommit(from.root, wanted)
    for (const path of left) wanted.delete(path)
    if (left.length > 0) warn(`left uncommitted, because a folder is in their place: ${left.join(', ')}`)
    if (names.length === 0) return { failure: NOTHING, wanted }
    // A message may look like a comment of git's.
    const argv = [...base, 'commit', '--only', '--cleanup=whitespace', ...words, '-m', message, ...LISTED]
    return { failure: await run(argv, names.join('\0'), 'commit'), wanted }
  }

  /** Hooks may change what is committed, as a formatter does: nobody has checked that. */
  async function compareCommit(
    { root }: Start,
    commits: { from: string | null; to: string },
    wanted: ReadonlyMap<string, string>,
  ): Promise<void> {
    const paths = await changedByHooks(root, env, commits, wanted)
    if (paths.length === 0) return
    hooked = `is not what was checked, because hooks changed ${listPaths(paths)}`
    // Git leaves what was to be committed in the index: the next commit of the user's would bring it back.
    await git(root, env, [...NO_HOOKS, '--literal-pathspecs', 'reset', '-q', ...LISTED], paths.join('\0'))
  }

  /** Acts on the repository as soon as no lock of another git is in the way; null, or why it failed. */
  async function whenUnlocked(from: Start, act: () => Promise<string | null>): Promise<string | null> {
    const failed = await pastLocks(from.dirs, ports.locks(), act)
    return failed && failed.locks.length > 0
      ? `is not possible: ${describeLocks(failed.locks, from.root)}`
      : (failed?.failure ?? null)
  }

  return {
    prepare,
    apply,
    share,
    async commit(step, state) {
      const failure = await commit(step, [], state)
      return failure === NOTHING ? null : failure
    },
  }
}

/** Ralph's own file is committed with others, but is not a reason for a commit. */
const isNothing = (paths: readonly string[]) => paths.every(path => path.endsWith('.ralph/.gitignore'))

/** Paths come on standard input. */
const LISTED = ['--pathspec-from-file=-', '--pathspec-file-nul']

const NO_HOOKS = ['-c', 'core.hooksPath=/dev/null']

const MOST_PATHS = 200
const LONGEST_CHANGES = 50_000

/** Not an error and not shown: without a commit there is nothing to push either. */
const NOTHING = 'has nothing to do'
const NO_MESSAGE = 'is aborted: the agent gave no commit message'
