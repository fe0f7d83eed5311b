import { existsSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import type { Intent } from '../../core/table.ts'
import { attempt, git } from '../../git/git.ts'
import { isMade } from '../../git/scm.ts'
import type { Start } from '../../git/start.ts'
import { realPath } from '../../store/real-path.ts'

export type Committed =
  /** There is nothing to commit, or it is not ralph's to do so. */
  | { type: 'nothing'; why: string }
  | { type: 'made'; from: string | null; to: string }
  | { type: 'failed'; why: string }

/** A folder may be named like a pattern. */
const LITERAL = '--literal-pathspecs'

export type FileCommit = {
  project: string
  start: Start
  env: Record<string, string>
  /** As seen from the project. */
  path: string
  message: string
  /** What was intended before a crash. */
  intent: Intent | undefined
  /** Puts the intent on record. */
  intend(parent: string | null): void
  write(): void
}

/**
 * Writes a file of ralph's own and commits it alone. What the user had not committed before the run stays theirs.
 * The intent is on record before anything is written: after a crash it is seen whether the commit is there.
 */
export async function commitWritten(commit: FileCommit): Promise<Committed> {
  const { project, env, path, message, intent } = commit
  const ask = async (...args: string[]) => (await git(project, env, [LITERAL, ...args]))?.trim()
  const from = (await ask('rev-parse', '--verify', '--quiet', 'HEAD')) || null
  if (intent && from !== null && (await isMade(project, env, from, intent)))
    return { type: 'made', from: intent.parent, to: from }
  const why = isBehindLink(commit)
    ? `${dirname(path)} leads out of the project by a link`
    : (await isTheirs(commit, ask))
      ? 'you had not committed it before the run'
      : null
  if (why !== null) {
    commit.write()
    return { type: 'nothing', why }
  }
  if (!intent) commit.intend(from)
  commit.write()
  const isSame = async () => (await ask('status', '--porcelain', '--', path)) === ''
  if (await isSame()) return unseen(path)
  if (intent && intent.parent !== from) return { type: 'failed', why: 'HEAD has moved since it was intended' }
  // Into the index first: an agent may have left something else there, and even without a commit it is gone then.
  await ask('add', '--', path)
  if (await isSame()) return unseen(path)
  // Only this path, and without hooks: nobody else's work is touched or judged by it.
  const failure = await attempt(project, env, [
    LITERAL,
    '-c',
    'core.hooksPath=/dev/null',
    'commit',
    '--quiet',
    '--no-verify',
    '--only',
    '-m',
    message,
    '--',
    path,
  ])
  if (failure !== null) return { type: 'failed', why: lockOf(commit) ?? failure }
  return { type: 'made', from, to: (await ask('rev-parse', 'HEAD')) ?? '' }
}

/** Where it differs all the same, git was told to overlook it. */
const unseen = (path: string): Committed => ({
  type: 'nothing',
  why: `git sees no change; git update-index --no-assume-unchanged --no-skip-worktree ${path} lets it look`,
})

/** What git says of its lock is a page; this is the line that helps. */
function lockOf({ project, start }: FileCommit): string | null {
  const lock = join(start.dirs.own, 'index.lock')
  if (!existsSync(lock)) return null
  const name = relative(project, lock)
  return `${name} is there, so git is at work or was killed; if none is at work, remove it: rm ${name}`
}

/** Git keeps the link, and nothing of what is behind it. */
const isBehindLink = ({ project, path }: FileCommit): boolean => {
  const folder = dirname(resolve(project, path))
  return realPath(folder) !== folder
}

/** Never committed, or changed by the user before the run and not committed since. */
async function isTheirs(
  { project, start, path }: FileCommit,
  ask: (...args: string[]) => Promise<string | undefined>,
): Promise<boolean> {
  const wasThere = start.head !== null && (await ask('ls-tree', start.head, '--', path))
  if (!wasThere && !(await ask('ls-files', '--', path))) return true
  if (!Object.hasOwn(start.dirty, relative(start.root, resolve(project, path)))) return false
  const since = start.head ? await ask('diff', '--name-only', start.head, 'HEAD', '--', path) : 'all of it'
  return !since
}
