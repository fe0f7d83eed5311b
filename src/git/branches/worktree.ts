import { existsSync, rmSync } from 'node:fs'
import type { Env } from '../../core/ports.ts'
import { AUTHOR, attempt, commitOf, git, isAncestor, mustGit } from '../git.ts'

/** A worktree for one worker or one task. `root`: the repository's main folder. */
export type WorktreePlan = { path: string; branch: string; root: string }

/** Adds a worktree with a new branch from this commit. Never takes one that is there. Returns why it cannot, or null. */
export const addWorktree = (
  { path, branch, root }: WorktreePlan,
  base: string,
  env: Env,
): Promise<string | null> => attempt(root, env, ['worktree', 'add', '--quiet', '-b', branch, path, base])

/**
 * Why removing a worktree and its branch would lose something. Null if everything is merged into a branch, or into HEAD.
 */
export async function unmergedIn(
  { path, branch, root, base }: WorktreePlan & { base: string },
  env: Env,
  into = 'HEAD',
): Promise<string | null> {
  const tip = await commitOf(root, env, `refs/heads/${branch}`)
  if (existsSync(path)) {
    const status = await git(path, env, ['status', '--porcelain', '--untracked-files=all'])
    if (status === null) return `${path} cannot be read by git`
    if (status.trim() !== '') return `${path} has uncommitted changes`
    if (tip === null || (await commitOf(path, env, 'HEAD')) !== tip)
      return `${path} is not on its branch ${branch}`
  }
  if (tip === null || (await isMerged(root, tip, { base, into }, env))) return null
  return `the branch ${branch} has commits that are not in ${into} of ${root}`
}

/**
 * Whether all that a branch changed is in another: its commits are, or each of them is by its patch, or one commit has the
 * patch of them all, as after a squash merge.
 */
async function isMerged(
  root: string,
  tip: string,
  { base, into }: { base: string; into: string },
  env: Env,
): Promise<boolean> {
  if (tip === base || (await isAncestor(root, env, tip, into))) return true
  if (await hasPatches(root, tip, into, env)) return true
  const fork = (await git(root, env, ['merge-base', into, tip]))?.trim()
  if (fork === undefined) return false
  const args = ['commit-tree', `${tip}^{tree}`, '-p', fork, '-m', 'squashed']
  const squashed = await git(root, { ...env, ...AUTHOR }, args)
  return squashed !== null && (await hasPatches(root, squashed.trim(), into, env))
}

/** Whether a branch has a commit with the same patch for each of those that lead to this one. */
async function hasPatches(root: string, tip: string, into: string, env: Env): Promise<boolean> {
  const cherry = await git(root, env, ['cherry', into, tip])
  return cherry?.split('\n').every(line => line === '' || line.startsWith('-')) ?? false
}

/**
 * Removes a worktree and its branch, if they are there. The caller has made sure that nothing is lost. `isFresh`: nobody
 * worked in it. Returns why it cannot, or null if both are gone.
 */
export async function removeWorktree(
  { path, branch, root }: WorktreePlan,
  env: Env,
  isFresh: boolean,
): Promise<string | null> {
  if (isFresh) await discard({ path, root }, env)
  else if (existsSync(path)) {
    const failure = await attempt(root, env, ['worktree', 'remove', path])
    if (failure !== null) return failure
  }
  await attempt(root, env, ['worktree', 'prune'])
  if ((await commitOf(root, env, `refs/heads/${branch}`)) === null) return null
  return attempt(root, env, ['branch', '--quiet', '-D', branch])
}

/** Removes a folder that nobody worked in. One that a crash cut off may be locked, or no worktree yet. */
async function discard({ path, root }: Pick<WorktreePlan, 'path' | 'root'>, env: Env): Promise<void> {
  await attempt(root, env, ['worktree', 'remove', '--force', '--force', path])
  rmSync(path, { recursive: true, force: true })
}

/**
 * Does something in a worktree at this commit, on no branch, that is removed afterwards. What a crash left there goes
 * first.
 */
export async function withScratchWorktree<T>(
  place: Pick<WorktreePlan, 'path' | 'root'>,
  commit: string,
  env: Env,
  act: () => Promise<T>,
): Promise<T> {
  const { path, root } = place
  if (existsSync(path)) await discard(place, env)
  await attempt(root, env, ['worktree', 'prune'])
  try {
    await mustGit(root, env, ['worktree', 'add', '--quiet', '--detach', path, commit])
    return await act()
  } finally {
    await discard(place, env)
  }
}
