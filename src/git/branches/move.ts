import { readlinkSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Env } from '../../core/ports.ts'
import { bytesAt, LIMITS } from '../../store/files/read.ts'
import { attempt, commitOf, git, gitBytes, mustGit } from '../git.ts'
import type { GitDirs } from '../head.ts'
import { type LockWait, pastLocks } from '../locks/lasting.ts'
import { statAt } from '../path-kind.ts'
import { pathsBetween } from '../tree-state.ts'

/** A branch, and a folder of its repository, which may have it checked out. */
export type TargetBranch = { root: string; dirs: GitDirs; branch: string; env: Env }

export type Moved =
  | { type: 'moved' }
  /** The branch is at another commit than expected. */
  | { type: 'elsewhere' }
  /** Somebody's uncommitted files would be overwritten. */
  | { type: 'overlap'; paths: string[] }
  | { type: 'failed'; why: string }

export type MoveOptions = {
  from: string
  to: string
  /** The second comes after the first. */
  isForward: boolean
  /** A crash may have cut off the same move. */
  isRepeated: boolean
  wait: LockWait
}

/**
 * Moves a branch, and the files of the folder that has it checked out, from one commit to another. What is not committed
 * is never overwritten. Safe to repeat.
 */
export async function moveBranch(target: TargetBranch, options: MoveOptions): Promise<Moved> {
  let moved: Moved = { type: 'elsewhere' }
  let { isRepeated } = options
  await pastLocks(target.dirs, options.wait, async () => {
    try {
      if (isRepeated) await undoHalfMoved(target, options.from, options.to)
      moved = await moveOnce(target, options)
    } catch (error) {
      moved = { type: 'failed', why: (error as Error).message }
    }
    // A git that was killed may have moved a part of the files.
    isRepeated = true
    return moved.type === 'failed' ? moved.why : null
  })
  return moved
}

async function moveOnce(target: TargetBranch, { from, to, isForward }: MoveOptions): Promise<Moved> {
  const { root, branch, env } = target
  const ref = `refs/heads/${branch}`
  const tip = await commitOf(root, env, ref)
  if (tip === to) return { type: 'moved' }
  if (tip !== from) return { type: 'elsewhere' }
  if (!(await isCheckedOut(target))) {
    const elsewhere = await checkedOutIn(target)
    if (elsewhere !== null)
      return { type: 'failed', why: `the branch ${branch} is checked out in ${elsewhere}` }
    const failure = await attempt(root, env, ['update-ref', '-m', 'ralph: merge', ref, to, from])
    return failure === null ? { type: 'moved' } : { type: 'failed', why: failure }
  }
  // Git itself would bring back a file that somebody removed, and a reset would overwrite one that git ignores.
  const inTheWay = await overlapping(target, from, to)
  if (inTheWay.length > 0) return { type: 'overlap', paths: inTheWay }
  // Without that a reset takes a file for changed that was only touched.
  if (!isForward) await attempt(root, env, ['update-index', '-q', '--refresh'])
  const how = isForward
    ? ['merge', '--quiet', '--ff-only', '--no-overwrite-ignore']
    : ['reset', '--quiet', '--keep']
  const failure = await attempt(root, env, ['-c', 'core.hooksPath=/dev/null', ...how, to])
  if (failure === null) return { type: 'moved' }
  const since = await overlapping(target, from, to)
  return since.length > 0 ? { type: 'overlap', paths: since } : { type: 'failed', why: failure }
}

const isCheckedOut = async ({ root, branch, env }: TargetBranch): Promise<boolean> =>
  (await git(root, env, ['symbolic-ref', '--quiet', 'HEAD']))?.trim() === `refs/heads/${branch}`

/** The folder that has the branch checked out. Null if none has. */
async function checkedOutIn({ root, branch, env }: TargetBranch): Promise<string | null> {
  const list = (await git(root, env, ['worktree', 'list', '--porcelain'])) ?? ''
  const found = list.split('\n\n').find(block => block.split('\n').includes(`branch refs/heads/${branch}`))
  return found?.split('\n', 1)[0]?.slice('worktree '.length) ?? null
}

/** The paths that differ between two commits and are not committed here, or there but not known to git. */
async function overlapping({ root, env }: TargetBranch, from: string, to: string): Promise<string[]> {
  const changed = await pathsBetween(root, env, from, to)
  const status = await git(root, env, [
    'status',
    '--porcelain',
    '-z',
    '--no-renames',
    '--untracked-files=all',
    '--ignored=matching',
  ])
  const dirty = (status ?? '').split('\0').flatMap(line => (line === '' ? [] : [line.slice(3)]))
  const paths = new Set(dirty)
  // A whole folder may be ignored.
  const folders = dirty.filter(path => path.endsWith('/'))
  return changed.filter(
    path =>
      paths.has(path) ||
      (folders.some(folder => path.startsWith(folder)) && statAt(join(root, path)) !== null),
  )
}

/**
 * After a crash in the middle of such a move: files may be as in the later commit, half-written, or gone, while the branch
 * is still at the earlier one. Puts those back. A file that is neither is somebody's, and stays. Throws if git fails.
 */
async function undoHalfMoved(target: TargetBranch, from: string, to: string): Promise<void> {
  const { root, branch, env } = target
  if ((await commitOf(root, env, `refs/heads/${branch}`)) !== from || !(await isCheckedOut(target))) return
  const [sinceFrom, sinceTo] = [await stagedSince(target, from), await stagedSince(target, to)]
  for (const path of await pathsBetween(root, env, from, to)) {
    const before = await blobOf(root, env, from, path)
    const now = contentAt(join(root, path))
    const isBefore = now !== 'unknown' && isSame(now, before)
    const isAhead = sinceFrom.has(path) && !sinceTo.has(path)
    if (now === 'unknown' || (isBefore && !isAhead)) continue
    if (!isBefore && now !== null && !isBeginning(now, await blobOf(root, env, to, path))) continue
    if (before === null) {
      rmSync(join(root, path), { force: true })
      await mustGit(root, env, ['update-index', '--force-remove', '--', path])
    } else await mustGit(root, env, ['--literal-pathspecs', 'checkout', '--quiet', from, '--', path])
  }
}

/** The paths that the index has otherwise than a commit. */
async function stagedSince({ root, env }: TargetBranch, commit: string): Promise<Set<string>> {
  const names = await git(root, env, ['diff-index', '--cached', '--name-only', '--no-renames', '-z', commit])
  return new Set(names?.split('\0'))
}

const blobOf = (root: string, env: Env, commit: string, path: string) =>
  gitBytes(root, env, ['cat-file', 'blob', `${commit}:${path}`])

const isSame = (now: Buffer | null, before: Buffer | null): boolean =>
  now === null || before === null ? now === before : now.equals(before)

const isBeginning = (now: Buffer, whole: Buffer | null): boolean =>
  whole?.subarray(0, now.length).equals(now) ?? false

/** The content of a path as git would keep it. Null if nothing is there. */
function contentAt(path: string): Buffer | null | 'unknown' {
  const found = statAt(path)
  if (!found) return null
  if (found.isSymbolicLink()) return readlinkSync(path, 'buffer')
  return (found.isFile() ? bytesAt(path, { limit: LIMITS.own, noLink: true }) : null) ?? 'unknown'
}
