import { UsageError } from '../core/usage-error.ts'
import { git } from './git.ts'

/** Makes a new branch and goes to it; what is uncommitted comes along. */
export async function startBranch(project: string, name: string, env: Record<string, string>): Promise<void> {
  if ((await git(project, env, ['rev-parse', '--git-dir'])) === null)
    throw new UsageError(`--branch ${name}: this is not a git repository`)
  if ((await git(project, env, ['check-ref-format', '--branch', name])) === null)
    throw new UsageError(`--branch ${name}: not a name that git allows`)
  if ((await git(project, env, ['rev-parse', '--verify', '--quiet', `refs/heads/${name}`])) !== null)
    throw new UsageError(
      `--branch ${name}: it exists already; go to it with git switch, or choose another name`,
    )
  if ((await git(project, env, ['switch', '--quiet', '--create', name])) === null)
    throw new UsageError(`--branch ${name}: git cannot make it`)
}
