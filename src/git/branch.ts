import { UsageError } from '../core/usage-error.ts'
import { git } from './git.ts'

/** Creates a branch and switches to it; uncommitted changes stay in the tree. */
export async function startBranch(project: string, name: string, env: Record<string, string>): Promise<void> {
  if ((await git(project, env, ['rev-parse', '--git-dir'])) === null)
    throw new UsageError(`--branch ${name}: this is not a git repository`)
  if ((await git(project, env, ['check-ref-format', '--branch', name])) === null)
    throw new UsageError(`--branch ${name}: git does not allow this name`)
  if ((await git(project, env, ['rev-parse', '--verify', '--quiet', `refs/heads/${name}`])) !== null)
    throw new UsageError(
      `--branch ${name}: it exists already; go to it with git switch, or choose another name`,
    )
  if ((await git(project, env, ['switch', '--quiet', '--create', name])) === null)
    throw new UsageError(`--branch ${name}: git cannot create it`)
}
