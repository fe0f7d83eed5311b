import { realpathSync } from 'node:fs'
import { basename, dirname, join, relative, resolve } from 'node:path'

/** The real path of a path in the project, relative to the project; null if it leads out of it. */
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
