import { chmodSync, lstatSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, relative } from 'node:path'
import { actWithin, isPinned, PathChanged, type PinnedFolder, walkWithin } from '../store/files/pinned.ts'
import type { SetAside } from './set-aside.ts'
import type { Kept, Snapshot } from './snapshot.ts'

/** Why a path could not be put back, as the end of a sentence. Null if it was. */
export function putBack(
  root: PinnedFolder,
  path: string,
  before: Snapshot[string] | undefined,
  aside: SetAside,
): string | null {
  const within = relative(root.path, path)
  try {
    makeAccessible(root, within)
    clear(root, within, aside)
    if (before?.kind === 'file' || before?.kind === 'link')
      actWithin(root, within, entry => write(entry, before), { make: true })
    return null
  } catch (error) {
    if (error instanceof PathChanged) return error.message
    return { EACCES: 'permission denied', EPERM: 'permission denied' }[codeOf(error)] ?? codeOf(error)
  }
}

/** An agent may have taken away the owner's own permissions on the folders above a path. */
function makeAccessible(root: PinnedFolder, within: string): void {
  if (isPinned(root)) unlock(root.path)
  const above = dirname(within)
  if (above === '.') return
  try {
    walkWithin(root, above, entry => {
      unlock(entry)
      return true
    })
  } catch {
    // It is not there, or it is in the way: that is found when it is cleared.
  }
}

/** The same for a folder itself. */
export const openFolderAgain = (root: PinnedFolder, folder: string): void =>
  makeAccessible(root, `${relative(root.path, folder)}/.`.replace(/^\//, ''))

function unlock(folder: string): void {
  const stat = lstatSync(folder)
  if (!stat.isDirectory() || (stat.mode & 0o700) === 0o700) return
  try {
    chmodSync(folder, (stat.mode & 0o7777) | 0o700)
  } catch {
    // The folder is somebody else's. What needs it fails later, with a reason.
  }
}

/** Moves away what is at the path, and anything above it that is not a folder. */
function clear(root: PinnedFolder, within: string, aside: SetAside): void {
  walkWithin(root, within, (entry, part) => {
    const stat = lstatSync(entry, { throwIfNoEntry: false })
    if (part !== within && stat?.isDirectory()) return true
    if (stat) aside.move(entry, `${root.path}/${part}`)
    return false
  })
}

/** The name is free, so nobody can redirect this with a link. */
function write(entry: string, kept: Kept): void {
  if (kept.kind === 'link') symlinkSync(kept.data, entry)
  else {
    writeFileSync(entry, Buffer.from(kept.data, 'base64'), { flag: 'wx', mode: 0o600 })
    chmodSync(entry, kept.mode)
  }
}

const codeOf = (error: unknown): string =>
  (error as NodeJS.ErrnoException).code ?? (error as Error).message.split('\n', 1)[0]!
