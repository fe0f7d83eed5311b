import { existsSync } from 'node:fs'
import { join, relative } from 'node:path'
import { plural } from '../core/format.ts'
import { UsageError } from '../core/usage-error.ts'
import { addWorktree, removeWorktree, unmergedIn } from '../git/branches/worktree.ts'
import { commitOf, git } from '../git/git.ts'
import type { Entered } from '../host/start.ts'
import { emptyWorktree, fillWorktree } from '../host/worktrees/fill.ts'
import { commandRunner } from '../runners/run-command.ts'
import type { WorkerRecord } from '../runs/worker-record.ts'
import type { Settings } from '../settings/schema.ts'
import { gitEnvironment } from '../workflows/spec.ts'

/** No run has begun, or it is over. */
const run = commandRunner(new AbortController().signal)

export type Worktree = NonNullable<WorkerRecord['worktree']>

/** Makes the worktree of a worker: beside the repository, on a branch of the worker's name, with what it needs to work. */
export async function makeWorktree(
  name: string,
  project: string,
  settings: Settings,
  env: NodeJS.ProcessEnv,
): Promise<{ worktree: Worktree; entered: Entered }> {
  const gitEnv = gitEnvironment(settings, env)
  const root = (await git(project, gitEnv, ['rev-parse', '--show-toplevel']))?.trim()
  if (root === undefined) throw new UsageError('--worktree: this is not a git repository')
  const plan = { path: `${root}-worktrees/${name}`, branch: name, root }
  if (existsSync(plan.path))
    throw new UsageError(`--worktree: ${plan.path} already exists; choose another --name, or remove it`)
  const status = (await git(root, gitEnv, ['status', '--porcelain'])) ?? ''
  const dirty = status.split('\n').filter(line => line !== '').length
  const base = await commitOf(root, gitEnv, 'HEAD')
  if (base === null)
    throw new UsageError('--worktree: this is not a git repository with a commit; a worktree needs one')
  if ((await commitOf(root, gitEnv, `refs/heads/${name}`)) !== null)
    throw new UsageError(
      `--worktree: the branch ${name} already exists; choose another --name, or remove it once it is merged`,
    )
  const error = await addWorktree(plan, base, gitEnv)
  if (error !== null) throw new UsageError(`--worktree: git cannot add ${plan.path}: ${error}`)
  const worktree = { ...plan, base }
  const failed = await fillWorktree(worktree, { settings, env: gitEnv, run })
  if (failed !== null) {
    // Nobody has worked in it.
    await removeWorktree(worktree, gitEnv, true)
    throw new UsageError(`${failed}; nothing was started`)
  }
  const notes =
    dirty === 0 ? [] : [`${plural(dirty, 'uncommitted change')} of ${root} will be missing in ${plan.path}`]
  return {
    worktree,
    entered: { project: join(plan.path, relative(root, project)), sessions: project, notes },
  }
}

/** Takes back a worktree whose run could not begin. */
export const abandonWorktree = (
  worktree: Worktree,
  settings: Settings,
  env: NodeJS.ProcessEnv,
): Promise<unknown> => removeWorktree(worktree, gitEnvironment(settings, env), true)

/** Removes a worktree if everything in it is merged. Returns why it is kept, or null. */
export async function removeMerged(
  worktree: Worktree,
  settings: Settings,
  env: NodeJS.ProcessEnv,
): Promise<string | null> {
  const gitEnv = gitEnvironment(settings, env)
  if (!existsSync(worktree.path)) return null
  const unmerged = await unmergedIn(worktree, gitEnv)
  if (unmerged !== null) return unmerged
  const failed = await emptyWorktree(worktree, { settings, env: gitEnv, run })
  if (failed !== null) return failed
  const kept = await removeWorktree(worktree, gitEnv, false)
  if (kept !== null) throw new UsageError(`the worktree ${worktree.path} cannot be removed: ${kept}`)
  return null
}
