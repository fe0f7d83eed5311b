import { cpSync, existsSync, mkdirSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { plural } from '../core/format.ts'
import { UsageError } from '../core/usage-error.ts'
import { addWorktree, removeWorktree, unmergedIn } from '../git/branches/worktree.ts'
import { git } from '../git/git.ts'
import type { Entered } from '../host/start.ts'
import { commandRunner } from '../runners/run-command.ts'
import type { WorkerRecord } from '../runs/worker-record.ts'
import type { Settings } from '../settings/schema.ts'
import { gitEnvironment } from '../workflows/spec.ts'

export type Worktree = NonNullable<WorkerRecord['worktree']>

/** How long `worktree.setup` and `worktree.teardown` may take. */
const COMMAND_MS = 900_000

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
    throw new UsageError(`--worktree: ${plan.path} is there already; choose another --name, or remove it`)
  const status = (await git(root, gitEnv, ['status', '--porcelain'])) ?? ''
  const dirty = status.split('\n').filter(line => line !== '').length
  const worktree = { ...plan, ...(await addWorktree(plan, gitEnv)) }
  try {
    copyInto(worktree, settings.worktree.copy)
    const failed = await runHook(settings.worktree.setup, worktree, gitEnv)
    if (failed !== null) throw new UsageError(`worktree.setup ${failed}; nothing was started`)
  } catch (error) {
    // Nobody has worked in it.
    await removeWorktree(worktree, gitEnv, true)
    throw error
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
): Promise<void> => removeWorktree(worktree, gitEnvironment(settings, env), true)

/** Removes a worktree if everything in it is merged. Returns why it is kept; null: it is gone. */
export async function removeMerged(
  worktree: Worktree,
  settings: Settings,
  env: NodeJS.ProcessEnv,
): Promise<string | null> {
  const gitEnv = gitEnvironment(settings, env)
  if (!existsSync(worktree.path)) return null
  const unmerged = await unmergedIn(worktree, gitEnv)
  if (unmerged !== null) return unmerged
  const failed = await runHook(settings.worktree.teardown, worktree, gitEnv)
  if (failed !== null) return `worktree.teardown ${failed}`
  await removeWorktree(worktree, gitEnv, false)
  return null
}

/** Files that git ignores, such as `.env`. One that is missing is left out. */
function copyInto({ root, path }: Worktree, wanted: readonly string[]): void {
  for (const name of wanted) {
    const from = resolve(root, name)
    const inside = relative(root, from)
    if (inside === '' || inside.startsWith('..'))
      throw new UsageError(`worktree.copy: "${name}" is not inside the repository`)
    if (!existsSync(from)) continue
    mkdirSync(dirname(join(path, inside)), { recursive: true })
    cpSync(from, join(path, inside), { recursive: true, verbatimSymlinks: true })
  }
}

/** null: it succeeded, or there is none. */
async function runHook(
  command: string | null,
  { path, root }: Worktree,
  env: Record<string, string>,
): Promise<string | null> {
  if (command === null) return null
  const ran = await commandRunner(new AbortController().signal)(['/bin/sh', '-c', command], {
    cwd: path,
    env: { ...env, RALPH_WORKTREE: path, RALPH_ROOT: root },
    timeoutMs: COMMAND_MS,
  })
  if (ran.end === 'unstartable') return `cannot be started: ${ran.why}`
  if (ran.end !== 'exited') return `took longer than ${COMMAND_MS / 1000}s`
  if (ran.exit.code === 0) return null
  const last = `${ran.stdout}\n${ran.stderr}`.trim().split('\n').at(-1)
  return `failed (${ran.exit.signal ?? `exit code ${ran.exit.code}`}${last ? `): ${last}` : ')'}`
}
