import { existsSync, readdirSync, realpathSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { UsageError } from '../core/usage-error.ts'
import { hasSameRepository, isSameRepository } from '../git/start.ts'
import { homeFolder, realPath } from '../store/files/paths.ts'
import { idAt } from '../store/files/pinned.ts'
import { gitEnvironment, readBase } from '../workflows/spec.ts'
import { isIn, ralphHome, type StoredRun } from './find.ts'

/**
 * The real path of the project's folder: settings, locks, trust and runs are found by it. `named` is the folder that the
 * user gave with -C. Without one it is the project that the current folder is in.
 */
export function projectOf(named: string | undefined, env: NodeJS.ProcessEnv): string {
  if (named === undefined) return findProject(realpathSync('.'), env)
  try {
    const project = realpathSync(named)
    if (statSync(project).isDirectory()) return project
  } catch {
    throw new UsageError(`--project-dir: ${named} does not exist`)
  }
  throw new UsageError(`--project-dir: ${named} is not a folder`)
}

/**
 * The nearest folder with a `.ralph`, within the git repository. Otherwise the root of the repository, or this folder.
 * Outside a repository the search leaves out the user's home, where `.ralph` is ralph's own, and goes no further than a
 * folder that anyone may write to.
 */
function findProject(here: string, env: NodeJS.ProcessEnv): string {
  const ralphs = realPath(ralphHome(env))
  const home = realPath(homeFolder())
  for (let folder = here; ; folder = dirname(folder)) {
    const settings = join(folder, '.ralph')
    if (isFolder(settings) && realPath(settings) !== ralphs) return folder
    if (existsSync(join(folder, '.git'))) return folder
    if (folder === dirname(folder) || folder === home || isOpenToAll(folder)) return here
  }
}

const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false

const ANYONE_WRITES = 0o002

const isOpenToAll = (path: string): boolean => (statSync(path).mode & ANYONE_WRITES) !== 0

/** Refuses a run whose worktree is gone. Its session is in the project, which is no other place of the run. */
export function requireWorktree({ id, began, last }: StoredRun): void {
  const { sessions } = readBase(began.pins)
  if (sessions !== undefined && idAt(last.project) === null)
    throw new UsageError(
      `the worktree of run ${id} is gone: ${last.project}; if its branch is left, git has what it changed`,
    )
}

/** Refuses to work on the files of a run if its folder is gone, or another one is in its place. */
export async function requireProject(run: StoredRun, env: NodeJS.ProcessEnv): Promise<void> {
  const { id, began } = run
  const { project } = began
  requireWorktree(run)
  const wayOut = `put it back, or continue elsewhere with: ralph resume ${id} -C DIR`
  if (idAt(project) === null) throw new UsageError(`the project of run ${id} is gone: ${project}; ${wayOut}`)
  if (!isIn(run, project))
    throw new UsageError(
      `${project} is not the folder that run ${id} was in, but another at the same path; ${wayOut}`,
    )
  const { start, settings } = readBase(began.pins)
  const entries = readdirSync(project).filter(name => name !== '.ralph' || start === null)
  if (entries.length === 0) throw new UsageError(`the project of run ${id} is gone: ${project} is empty`)
  if (start && !(await isSameRepository(start, gitEnvironment(settings, env))))
    throw new UsageError(
      `${start.root} does not have the repository that run ${id} was in; put it back, or start a new run`,
    )
}

/** Refuses a folder for a run, placed there, that has not the same repository. */
export async function requireRepository(run: StoredRun, env: NodeJS.ProcessEnv): Promise<void> {
  const { start, settings } = readBase(run.began.pins)
  const { project } = run.began
  if (start && !(await hasSameRepository(start, project, gitEnvironment(settings, env))))
    throw new UsageError(`${project} does not have the repository that run ${run.id} was in`)
}
