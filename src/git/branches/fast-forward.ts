import { lstatSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { LIMITS, textAt } from '../../store/files/read.ts'
import { attempt, git, mustGit } from '../git.ts'
import { pathsBetween } from '../tree-state.ts'
import { commitOf } from './worktree.ts'

/** A branch, and the folder of the repository that may have it checked out. */
export type TargetBranch = { root: string; branch: string; env: Record<string, string> }

export type Landed =
  | { type: 'landed' }
  /** The branch is at another commit than expected. */
  | { type: 'moved' }
  /** Somebody's uncommitted files would be overwritten. */
  | { type: 'overlap'; paths: string[] }
  | { type: 'failed'; why: string }

/** Moves a branch forward from one commit to another. Git itself refuses to overwrite what is not committed. Safe to repeat. */
export async function fastForward(target: TargetBranch, from: string, to: string): Promise<Landed> {
  const { root, branch, env } = target
  const ref = `refs/heads/${branch}`
  const tip = await commitOf(root, env, ref)
  if (tip === to) return { type: 'landed' }
  if (tip !== from) return { type: 'moved' }
  const current = (await git(root, env, ['symbolic-ref', '--quiet', 'HEAD']))?.trim()
  if (current !== ref) {
    const elsewhere = await checkedOutIn(target)
    if (elsewhere !== null)
      return { type: 'failed', why: `the branch ${branch} is checked out in ${elsewhere}` }
    const failure = await attempt(root, env, ['update-ref', '-m', 'ralph: merge', ref, to, from])
    return failure === null ? { type: 'landed' } : { type: 'failed', why: failure }
  }
  const failure = await attempt(root, env, [
    '-c',
    'core.hooksPath=/dev/null',
    'merge',
    '--quiet',
    '--ff-only',
    '--no-overwrite-ignore',
    to,
  ])
  if (failure === null) return { type: 'landed' }
  const paths = await overlapping(target, from, to)
  return paths.length > 0 ? { type: 'overlap', paths } : { type: 'failed', why: failure }
}

/** The folder that has the branch checked out; null: none has. */
async function checkedOutIn({ root, branch, env }: TargetBranch): Promise<string | null> {
  const list = (await git(root, env, ['worktree', 'list', '--porcelain'])) ?? ''
  const found = list.split('\n\n').find(block => block.split('\n').includes(`branch refs/heads/${branch}`))
  return found?.split('\n', 1)[0]?.slice('worktree '.length) ?? null
}

/** The paths that differ between two commits and are not committed here, or not known to git. */
async function overlapping({ root, env }: TargetBranch, from: string, to: string): Promise<string[]> {
  const status = await git(root, env, [
    'status',
    '--porcelain',
    '-z',
    '--no-renames',
    '--untracked-files=all',
    '--ignored=matching',
  ])
  const dirty = (status ?? '').split('\0').flatMap(line => (line === '' ? [] : [line.slice(3)]))
  const changed = await pathsBetween(root, env, from, to)
  return changed.filter(path =>
    dirty.some(one => one === path || path.startsWith(one.endsWith('/') ? one : `${one}/`)),
  )
}

/**
 * After a crash in the middle of a fast-forward: files may be as in the later commit, or half-written, while the branch is
 * still at the earlier one. Puts those back. A file that is neither is somebody's, and stays.
 */
export async function undoHalfLanded(target: TargetBranch, from: string, to: string): Promise<void> {
  const { root, branch, env } = target
  if ((await commitOf(root, env, `refs/heads/${branch}`)) !== from) return
  if ((await git(root, env, ['symbolic-ref', '--quiet', 'HEAD']))?.trim() !== `refs/heads/${branch}`) return
  for (const path of await pathsBetween(root, env, from, to)) {
    const [before, after] = [await blobOf(root, env, from, path), await blobOf(root, env, to, path)]
    const now = contentAt(join(root, path))
    if (now === before || !(now === null || after?.startsWith(now))) continue
    if (before === null) {
      rmSync(join(root, path), { force: true })
      await mustGit(root, env, ['update-index', '--force-remove', '--', path])
    } else await mustGit(root, env, ['--literal-pathspecs', 'checkout', '--quiet', from, '--', path])
  }
}

const blobOf = (root: string, env: Record<string, string>, commit: string, path: string) =>
  git(root, env, ['cat-file', 'blob', `${commit}:${path}`])

const contentAt = (path: string): string | null =>
  lstatSync(path, { throwIfNoEntry: false })?.isFile() ? textAt(path, { limit: LIMITS.text }) : null
