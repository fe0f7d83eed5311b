import { statSync } from 'node:fs'
import { join } from 'node:path'
import { OWN_IGNORE } from '../core/own-ignore.ts'
import { replaceFileUnsynced } from './files/atomic.ts'
import { clearPath } from './files/force-replace.ts'

/**
 * Keeps ralph's own files in `.ralph` out of the repository. A file with any content stays as it is: a person may have
 * changed it. An empty one was left by a crash.
 */
export function ignoreOwnFiles(ralph: string): void {
  const path = join(ralph, '.gitignore')
  if (!statSync(path, { throwIfNoEntry: false })?.size) write(path, OWN_IGNORE)
}

/**
 * The same for one folder, with a file that ignores itself: the one above is committed, and is missing after a checkout
 * of an earlier commit.
 */
export const ignoreAll = (folder: string): void => write(join(folder, '.gitignore'), '*\n')

/** Replaces the file instead of writing into it: an agent may have left a pipe there, and that would block ralph. */
function write(path: string, text: string): void {
  clearPath(path)
  replaceFileUnsynced(path, Buffer.from(text))
}
