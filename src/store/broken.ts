import { renameSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { replaceFile } from './files/atomic.ts'
import { actInside, isFolderInside, kindAt, makeFolder } from './files/inside.ts'
import type { PinnedFolder } from './files/pinned.ts'
import { LIMITS, readRegularFile, UnreadableFile } from './files/read.ts'

/** What was in the place of a file, why it cannot be used, and where it is now. */
export type MovedAside = { unusable: string; kept: string }

/**
 * A file of ralph's that others can write; null if there is none. What cannot be read, a pipe or a huge file, is moved
 * aside: nothing is lost, and the path is free for a valid version. What a link leads to outside the root is left alone.
 */
export function readOrMove(root: PinnedFolder, path: string): Buffer | MovedAside | null {
  try {
    return readRegularFile(path, { limit: LIMITS.text })
  } catch (error) {
    if (!(error instanceof UnreadableFile)) return null
    const kept = besides(root, path, (entry, name) => renameSync(entry, name))
    return kept === null ? null : { unusable: `it ${error.why}`, kept }
  }
}

/** Saves a text next to a file, under a new name that ends in `.broken-` and a number. */
export function keepBroken(root: PinnedFolder, path: string, text: string): string {
  makeFolder(root, dirname(path), { force: true })
  return besides(root, path, (_, name) => replaceFile(name, text)) ?? path
}

/** Acts with the next free name beside a path, and returns it; null if a link is on the way there. */
function besides(
  root: PinnedFolder,
  path: string,
  act: (entry: string, name: string) => void,
): string | null {
  if (!isFolderInside(root, dirname(path))) return null
  return actInside(root, path, entry => {
    let n = 1
    while (kindAt(`${entry}.broken-${n}`) !== null) n++
    const name = `${entry}.broken-${n}`
    act(entry, name)
    return join(dirname(path), basename(name))
  })
}
