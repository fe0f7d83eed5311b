import { statSync } from 'node:fs'
import { join } from 'node:path'
import { OWN_IGNORE } from '../core/own-ignore.ts'
import { replaceFileUnsynced } from './files/atomic.ts'
import { clearPath } from './files/force-replace.ts'

/**
 * What of `.ralph` is not for the repository. A file that says anything stays as it is: a person may have changed it.
 * An empty one is what a crash left of ours.
 */
export function ignoreOwnFiles(ralph: string): void {
  const path = join(ralph, '.gitignore')
  if (!statSync(path, { throwIfNoEntry: false })?.size) put(path, OWN_IGNORE)
}

/**
 * The same for one folder, by a file that ignores itself: the one above is committed, and whoever goes back behind that
 * commit has it no more.
 */
export const ignoreAll = (folder: string): void => put(join(folder, '.gitignore'), '*\n')

/** Over a pipe, too, that an agent left there: into it ralph would write for ever. */
function put(path: string, text: string): void {
  clearPath(path)
  replaceFileUnsynced(path, Buffer.from(text))
}
