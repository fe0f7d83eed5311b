import type { Env } from '../../core/ports.ts'
import { UsageError } from '../../core/usage-error.ts'
import { commitOf, git } from '../git.ts'

/**
 * Makes sure that this branch is the current one: creates it, or finds that it is. Another branch of this name is not
 * switched to, because files would change. Returns whether there is a repository.
 */
export async function enterBranch(project: string, name: string, env: Env): Promise<boolean> {
  if ((await git(project, env, ['rev-parse', '--git-dir'])) === null) return false
  const current = await git(project, env, ['symbolic-ref', '--quiet', '--short', 'HEAD'])
  if (current?.trim() === name) return true
  if ((await commitOf(project, env, `refs/heads/${name}`)) !== null)
    throw new UsageError(
      `the branch ${name} already exists; go to it with: git switch ${name}, or choose another --name`,
    )
  if ((await git(project, env, ['switch', '--quiet', '--create', name])) === null)
    throw new UsageError(`git cannot create the branch ${name}; choose another --name`)
  return true
}

/** Creates a branch and switches to it. Uncommitted changes stay in the tree. */
export async function startBranch(project: string, name: string, env: Env): Promise<void> {
  if ((await git(project, env, ['rev-parse', '--git-dir'])) === null)
    throw new UsageError(`--branch ${name}: this is not a git repository`)
  if ((await git(project, env, ['check-ref-format', '--branch', name])) === null)
    throw new UsageError(`--branch ${name}: git does not allow this name`)
  if ((await commitOf(project, env, `refs/heads/${name}`)) !== null)
    throw new UsageError(
      `--branch ${name}: it already exists; go to it with git switch, or choose another name`,
    )
  if ((await git(project, env, ['switch', '--quiet', '--create', name])) === null)
    throw new UsageError(`--branch ${name}: git cannot create it`)
}
