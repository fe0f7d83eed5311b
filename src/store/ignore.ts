import { lstatSync } from 'node:fs'
import { join } from 'node:path'
import { OWN_IGNORE } from '../core/own-ignore.ts'
import { forceReplaceFileUnsynced } from './files/inside.ts'
import type { PinnedFolder } from './files/pinned.ts'

/**
 * Keeps ralph's own files in `.ralph` out of the repository. A file with any content stays as it is: a person may have
 * changed it. An empty one was left by a crash.
 */
export function ignoreOwnFiles(root: PinnedFolder, ralph: string): void {
  const path = join(ralph, '.gitignore')
  const found = lstatSync(path, { throwIfNoEntry: false })
  if (!found?.isFile() || found.size === 0) forceReplaceFileUnsynced(root, path, OWN_IGNORE)
}

/**
 * The same for one folder: the file above may be committed, and is then missing after a checkout of an earlier commit.
 */
export const ignoreAll = (root: PinnedFolder, folder: string): void =>
  forceReplaceFileUnsynced(root, join(folder, '.gitignore'), '*\n')
