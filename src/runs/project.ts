import { existsSync, realpathSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { UsageError } from '../core/usage-error.ts'
import { homeFolder } from '../store/files/home.ts'
import { ralphHome } from './find.ts'

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
 * The nearest folder with a `.ralph`, within the git repository; else the root of the repository; else this folder.
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

function realPath(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return path
  }
}
