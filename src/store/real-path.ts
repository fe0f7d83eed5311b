import { realpathSync } from 'node:fs'
import { basename, dirname, join, relative, resolve } from 'node:path'

/** Where a path of the project really leads, as seen from the project; null: out of it. */
export function realWithin(project: string, path: string): string | null {
  const within = relative(project, realPath(resolve(project, path)))
  return within === '' || within.split('/', 1)[0] === '..' ? null : within
}

/** The same for what need not be there yet: then the folders around it count. */
export function realPath(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return path === dirname(path) ? path : join(realPath(dirname(path)), basename(path))
  }
}
