import { UsageError } from '../../core/usage-error.ts'
import { attempt, git } from '../git.ts'

/** A worktree that was made for one worker. */
export type WorktreePlan = { path: string; branch: string; root: string }

/** Adds a worktree with a new branch from HEAD. Never takes one that is there, nor a branch that is there. */
export async function addWorktree(
  { path, branch, root }: WorktreePlan,
  env: Record<string, string>,
): Promise<{ base: string }> {
  const base = (await git(root, env, ['rev-parse', '--verify', '--quiet', 'HEAD']))?.trim()
  if (base === undefined)
    throw new UsageError('--worktree: this is not a git repository with a commit; a worktree needs one')
  if ((await git(root, env, ['rev-parse', '--verify', '--quiet', `refs/heads/${branch}`])) !== null)
    throw new UsageError(
      `--worktree: the branch ${branch} exists already; choose another --name, or remove it once it is merged`,
    )
  const error = await attempt(root, env, ['worktree', 'add', '--quiet', '-b', branch, path, base])
  if (error !== null) throw new UsageError(`--worktree: git cannot add ${path}: ${error}`)
  return { base }
}

/** Why removing a worktree would lose something; null: everything in it is merged. */
export async function unmergedIn(
  { path, branch, root, base }: WorktreePlan & { base: string },
  env: Record<string, string>,
): Promise<string | null> {
  const status = await git(path, env, ['status', '--porcelain', '--untracked-files=all'])
  if (status === null) return `${path} cannot be read by git`
  if (status.trim() !== '') return `${path} has uncommitted changes`
  const tip = (await git(root, env, ['rev-parse', '--verify', '--quiet', `refs/heads/${branch}`]))?.trim()
  const head = (await git(path, env, ['rev-parse', '--verify', '--quiet', 'HEAD']))?.trim()
  if (tip === undefined || head !== tip) return `${path} is not on its branch ${branch}`
  if (await isMerged(root, tip, base, env)) return null
  return `the branch ${branch} has commits that are not in HEAD of ${root}`
}

/**
 * Whether all that a branch changed is in HEAD: its commits are, or each of them is by its patch, or one commit has the
 * patch of them all, as after a squash merge.
 */
async function isMerged(
  root: string,
  tip: string,
  base: string,
  env: Record<string, string>,
): Promise<boolean> {
  if (tip === base) return true
  if ((await git(root, env, ['merge-base', '--is-ancestor', tip, 'HEAD'])) !== null) return true
  if (await hasPatches(root, tip, env)) return true
  const fork = (await git(root, env, ['merge-base', 'HEAD', tip]))?.trim()
  if (fork === undefined) return false
  const author = ['-c', 'user.name=ralph', '-c', 'user.email=ralph@localhost']
  const squashed = await git(root, env, [
    ...author,
    'commit-tree',
    `${tip}^{tree}`,
    '-p',
    fork,
    '-m',
    'squashed',
  ])
  return squashed !== null && (await hasPatches(root, squashed.trim(), env))
}

/** Whether HEAD has a commit with the same patch for each of those that lead to this one. */
async function hasPatches(root: string, tip: string, env: Record<string, string>): Promise<boolean> {
  const cherry = await git(root, env, ['cherry', 'HEAD', tip])
  return cherry?.split('\n').every(line => line === '' || line.startsWith('-')) ?? false
}

/** Removes a worktree and its branch. The caller has made sure that nothing is lost. `isFresh`: nobody worked in it. */
export async function removeWorktree(
  { path, branch, root }: WorktreePlan,
  env: Record<string, string>,
  isFresh: boolean,
): Promise<void> {
  const error =
    (await attempt(root, env, ['worktree', 'remove', ...(isFresh ? ['--force'] : []), path])) ??
    (await attempt(root, env, ['branch', '--quiet', '-D', branch]))
  if (error !== null) throw new UsageError(`the worktree ${path} cannot be removed: ${error}`)
}
