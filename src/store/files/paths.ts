import { realpathSync } from 'node:fs'
import { homedir, userInfo } from 'node:os'
import { basename, dirname, isAbsolute, join, relative, resolve } from 'node:path'

/**
 * The user's home folder. An empty or relative HOME would be a folder of the project, so it counts as none; then it is
 * what the system has for the user. A user that the system does not know, as in a container, has `/`.
 */
export function homeFolder(): string {
  try {
    const named = homedir()
    return isAbsolute(named) ? named : userInfo().homedir
  } catch {
    return '/'
  }
}

/** Whether a path leads into a folder, or is that folder. */
export function isWithin(folder: string, path: string): boolean {
  const way = relative(folder, path)
  return way !== '..' && !way.startsWith('../') && !isAbsolute(way)
}

/** A path as seen from a folder: relative if it leads inside, else as it is. */
export const pathSeenFrom = (folder: string, path: string): string =>
  isWithin(folder, path) ? relative(folder, path) : path

/** The real path of a path in the project, relative to the project. Null if it leads out of it. */
export function realWithin(project: string, path: string): string | null {
  const within = relative(project, realPath(resolve(project, path)))
  return within === '' || within.split('/', 1)[0] === '..' ? null : within
}

/** The absolute real path. If nothing exists there yet, the links in the folders above it are resolved. */
export function realPath(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return path === dirname(path) ? path : join(realPath(dirname(path)), basename(path))
  }
}
