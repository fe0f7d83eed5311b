import { dirname, join, relative, resolve } from 'node:path'
import type { Settled } from '../../core/events.ts'
import { COMMIT, type Intent, type RunState } from '../../core/table.ts'
import { isIntendedCommit } from '../../git/commit/committed.ts'
import { attempt, git } from '../../git/git.ts'
import { describeLocks } from '../../git/locks/find.ts'
import { type LockWait, pastLocks } from '../../git/locks/lasting.ts'
import type { Start } from '../../git/start.ts'
import { ignoredAtStart } from '../../git/status.ts'
import { realPath } from '../../store/files/paths.ts'
import type { Context, Recorder } from '../workflow.ts'
import type { StoriesSpec } from './spec.ts'
import { storyFilePath } from './story-file-place.ts'

/** Whether an earlier commit of the story file failed. */
export const isUncommitted = ({ doubts }: Pick<RunState, 'doubts'>): boolean =>
  doubts['']?.some(({ check }) => check === COMMIT) ?? false

/**
 * Writes the story file and commits it after an iteration. `how` goes into the message: whether ralph restored or only
 * recorded something. `reported` collects the reasons for failed commits, so that each is reported once.
 */
export async function commitAfter(
  { spec, env, locks, run }: Pick<Context<StoriesSpec>, 'spec' | 'env' | 'locks' | 'run'>,
  { id, task }: Settled,
  how: 'restore' | 'record',
  { write, record, reported }: { write(): void; record: Recorder; reported: Set<string> },
): Promise<void> {
  const { project, start } = spec
  const file = join(spec.dir, 'tasks.json')
  const intent = run().state.intents[id]
  const message = intent?.message ?? `ralph: ${how} ${file} (${task})`
  const at = () => Date.now()
  const intend = (parent: string | null) => record({ type: 'committing', at: at(), id, parent, message })
  const path = storyFilePath(project, spec)
  const done = start
    ? await commitWritten({ project, start, env, locks: locks(), path, message, intent, intend, write })
    : nothing(write)
  if (done.type === 'made')
    record({ type: 'committed', at: at(), id, by: 'ralph', from: done.from, to: done.to })
  const why = done.type === 'failed' ? `${file} is left uncommitted: ${done.why}` : null
  if (why !== null || isUncommitted(run().state))
    record({ type: 'doubted', at: at(), id, check: COMMIT, why })
  if (why === null || reported.has(why)) return
  reported.add(why)
  record({ type: 'warned', at: at(), note: why })
}

function nothing(write: () => void): Committed {
  write()
  return { type: 'nothing' }
}

type Committed =
  /** There is nothing to commit, or ralph must not commit it. */
  { type: 'nothing' } | { type: 'made'; from: string | null; to: string } | { type: 'failed'; why: string }

/** The name of a folder may look like a pattern. */
const LITERAL = '--literal-pathspecs'

type FileCommit = {
  project: string
  start: Start
  env: Record<string, string>
  /** How to wait for git's locks. */
  locks: LockWait
  /** Relative to the project. */
  path: string
  message: string
  /** The intended commit that was recorded before a crash. */
  intent: Intent | undefined
  /** Records the intended commit. */
  intend(parent: string | null): void
  write(): void
}

/**
 * Writes one of ralph's files and commits only that file. A file that the user had not committed before the run is left
 * uncommitted. The intent is recorded before anything is written, so that after a crash ralph can look for the commit.
 */
async function commitWritten(commit: FileCommit): Promise<Committed> {
  const { project, env, path, message, intent } = commit
  const ask = async (...args: string[]) => (await git(project, env, [LITERAL, ...args]))?.trim()
  const from = (await ask('rev-parse', '--verify', '--quiet', 'HEAD')) || null
  if (intent && from !== null && (await isIntendedCommit(project, env, from, intent)))
    return { type: 'made', from: intent.parent, to: from }
  if (isBehindLink(commit) || (await belongsToUser(commit, ask))) return nothing(commit.write)
  if (!intent) commit.intend(from)
  commit.write()
  const isSame = async () => (await ask('status', '--porcelain', '--', path)) === ''
  if (await isSame()) return { type: 'nothing' }
  if (intent && intent.parent !== from) return { type: 'failed', why: 'HEAD has moved since it was intended' }
  const act = (...args: string[]) =>
    pastLocks(commit.start.dirs, commit.locks, () => attempt(project, env, [LITERAL, ...args]))
  // Stage the file first: it replaces what an agent may have staged, even if the commit fails.
  await act('add', '--', path)
  if (await isSame()) return { type: 'nothing' }
  // Commit only this path, without hooks: nobody else's work is committed or checked.
  const hookless = ['-c', 'core.hooksPath=/dev/null', 'commit', '--quiet', '--no-verify']
  const failed = await act(...hookless, '--only', '-m', message, '--', path)
  const to = (await ask('rev-parse', 'HEAD')) ?? ''
  // A git that was killed may have made it all the same. Of a page about a lock one line is enough.
  if (failed && !(await isIntendedCommit(project, env, to, { parent: from, message })))
    return {
      type: 'failed',
      why: failed.locks.length > 0 ? describeLocks(failed.locks, project) : failed.failure,
    }
  return { type: 'made', from, to }
}

/** Git stores only the link, not the files in the folder that it points to. */
const isBehindLink = ({ project, path }: FileCommit): boolean => {
  const folder = dirname(resolve(project, path))
  return realPath(folder) !== folder
}

/** Whether the file was never committed, or has changes of the user from before the run that are still uncommitted. */
async function belongsToUser(
  { project, start, path }: FileCommit,
  ask: (...args: string[]) => Promise<string | undefined>,
): Promise<boolean> {
  const wasThere = start.head !== null && (await ask('ls-tree', start.head, '--', path))
  if (!wasThere && !(await ask('ls-files', '--', path))) return true
  const inRepository = relative(start.root, resolve(project, path))
  // An agent may have added it all the same.
  if (ignoredAtStart(start)(inRepository)) return true
  if (!Object.hasOwn(start.dirty, inRepository)) return false
  const since = start.head ? await ask('diff', '--name-only', start.head, 'HEAD', '--', path) : 'all of it'
  return !since
}
