import { basename } from 'node:path'
import type { RunEvent, Settled } from '../core/events.ts'
import { listPaths } from '../core/format.ts'
import type { Intent, RunState, StepId } from '../core/table.ts'
import { changesSince } from './changes.ts'
import { startBranchTip } from './end-snapshot.ts'
import { git, QUIET } from './git.ts'
import { clearFlags } from './hidden.ts'
import { hooksOf } from './hooks.ts'
import { commitMessage } from './message.ts'
import type { Start } from './start.ts'
import { ignoredAtStart } from './status.ts'

export type Scm = {
  /** As the settings name it. */
  command: string
  /** Where it was found when the run began. */
  program: string
  /** The words of each task: `commit`, `push`, `push origin HEAD`. */
  tasks: string[][]
}

export type ScmPorts = {
  record(event: RunEvent): void
  now(): number
  /** The agent's answer to the fixed prompt; empty if it gave none. */
  ask(id: StepId): Promise<string>
  /** Runs a command with this text on its standard input; null if it succeeded, else why not, as the end of a sentence. */
  run(argv: string[], id: StepId, input: string, log: string): Promise<string | null>
}

/**
 * Commits and pushes the work of a green iteration. A failure is only a warning, because the work is in the tree. Safe to
 * repeat, because the intended commit is journaled before it is made.
 */
export function scmAfter(scm: Scm, start: Start | null, env: Record<string, string>, ports: ScmPorts) {
  const warn = (note: string) => ports.record({ type: 'warned', at: ports.now(), note })
  const isGit = basename(scm.command) === 'git'
  let isTold = false

  return async (settled: Settled, state: RunState): Promise<void> => {
    if (settled.end !== 'ok' || settled.findings.some(f => f.verdict !== 'pass')) return
    for (const [task = '', ...words] of scm.tasks) {
      const failure =
        task === 'commit'
          ? await commit(settled.id, words, state)
          : ((await leak()) ??
            (await ports.run([scm.program, ...(await withoutHooks()), task, ...words], settled.id, '', task)))
      if (failure === null) continue
      if (failure !== NOTHING) warn(`${scm.command} ${task} ${failure}; the other SCM tasks are skipped`)
      return
    }
  }

  async function commit(id: StepId, words: string[], state: RunState): Promise<string | null> {
    if (!isGit) {
      const message = await messageFor(id, state)
      return message === null
        ? NO_MESSAGE
        : ports.run([scm.program, 'commit', ...words, '-am', message], id, '', 'commit')
    }
    if (!start) return 'is not possible: this is not a git repository'
    const changes = await changesSince(start, env)
    if (!changes) return 'is not possible: git does not answer'
    const intent = state.intents[id]
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
      [changes.flagged, 'git was told before the run not to look at them'],
    ] as const)
      if (paths.length > 0) warn(`left uncommitted, because ${why}: ${paths.join(', ')}`)
    // Ralph's own file is committed with others, but is not a reason for a commit.
    if (changes.ours.every(path => path.endsWith('.ralph/.gitignore')))
      return changes.head === start.head ? NOTHING : null
    const message = await messageFor(id, state)
    if (message === null) return NO_MESSAGE
    ports.record({ type: 'committing', at: ports.now(), id, parent: changes.head, message })
    if (changes.hidden.length > 0) {
      const names = listPaths(changes.hidden.map(([path]) => path))
      warn(`changes were hidden from git by assume-unchanged or skip-worktree, and are committed: ${names}`)
      await clearFlags(start.root, env, changes.hidden)
    }
    const failure = await commitPaths(start, changes.ours, message, words, id)
    if (failure !== null) return failure
    recordCommit(id, changes.head, (await git(start.root, env, ['rev-parse', 'HEAD']))?.trim() ?? '')
    return null
  }

  /** Why nothing may be pushed: what was ignored when the run began is in its commits. null: nothing is. */
  async function leak(): Promise<string | null> {
    if (!start?.ignored?.length || !isGit) return null
    const paths = (await committedSince(start, env)).filter(ignoredAtStart(start))
    if (paths.length === 0) return null
    return `is not run: commits hold what git ignored when the run began, and it may be secret: ${listPaths(paths)}`
  }

  function recordCommit(id: StepId, from: string | null, to: string): void {
    ports.record({ type: 'committed', at: ports.now(), id, by: 'ralph', from, to })
  }

  async function messageFor(id: StepId, state: RunState): Promise<string | null> {
    return state.intents[id]?.message ?? commitMessage(await ports.ask(id))
  }

  /** Hooks do not run if they changed during the run. */
  async function withoutHooks(): Promise<string[]> {
    if (!isGit || !start || (await hooksOf(start.root, env)) === start.hooks) return []
    if (!isTold) warn('the git hooks were changed during the run, so they are not run')
    isTold = true
    return ['-c', 'core.hooksPath=/dev/null']
  }

  /** Commits only these paths, even if the user has staged others. */
  async function commitPaths(
    from: Start,
    paths: string[],
    message: string,
    words: string[],
    id: StepId,
  ): Promise<string | null> {
    const base = [scm.program, ...QUIET, '-C', from.root, '--literal-pathspecs', ...(await withoutHooks())]
    const listed = ['--pathspec-from-file=-', '--pathspec-file-nul']
    const input = paths.join('\0')
    const added = await ports.run([...base, 'add', '--all', ...listed], id, input, 'add')
    if (added !== null) return added
    // git refuses to commit a path by name that was staged and then removed: it is in neither tree.
    const staged = await git(from.root, env, ['diff', '--cached', '--name-only', '-z', '--no-renames'])
    const ours = new Set(paths)
    const committable = (staged ?? '').split('\0').filter(path => ours.has(path))
    if (committable.length === 0) return NOTHING
    const argv = [...base, 'commit', '--only', ...words, '-m', message, ...listed]
    return ports.run(argv, id, committable.join('\0'), 'commit')
  }
}

/** The paths in all commits since the start of a run, also those that a later commit removed again. */
async function committedSince(start: Start, env: Record<string, string>): Promise<string[]> {
  const tip = await startBranchTip(start, env)
  const range = ['HEAD', ...(tip ? [tip] : []), ...(start.head ? ['--not', start.head] : [])]
  const args = [
    'log',
    '--format=',
    '--name-only',
    '-z',
    '-m',
    '--no-renames',
    '--diff-filter=d',
    ...range,
    '--',
  ]
  const names = await git(start.root, env, args)
  return [...new Set((names ?? '').split('\0').map(name => name.replace(/^\n+/, '')))].filter(Boolean)
}

/** Whether this commit is the one that was intended. */
export async function isIntendedCommit(
  root: string,
  env: Record<string, string>,
  head: string,
  intent: Intent,
): Promise<boolean> {
  const made = await git(root, env, ['log', '-1', '--format=%P%x00%B', head])
  const [parent, message] = made?.split('\0') ?? []
  return parent === (intent.parent ?? '') && message?.trim() === intent.message.trim()
}

/** Not an error and not shown: without a commit there is nothing to push either. */
const NOTHING = 'has nothing to do'
const NO_MESSAGE = 'is aborted: the agent gave no commit message'
