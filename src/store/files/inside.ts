// Ways to act below a pinned folder by whole paths: `pinned.ts` has the rule. Use `actInside` for a file whose folder must be
// there, `forceReplace` where others may have put anything in the place of a file or of the folders above it. What cannot
// be used is moved aside by `readOrMove`, and kept by `keepBroken`.

import { lstatSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import { replaceFile, replaceFileUnsynced } from './atomic.ts'
import { actWithin, isPinned, PathChanged, type PinnedFolder } from './pinned.ts'
import { LIMITS, readRegularFile, UnreadableFile } from './read.ts'

/** Acts on a path below a pinned folder, with no link on the way. */
export const actInside = <T>(root: PinnedFolder, path: string, act: (entry: string) => T): T =>
  actWithin(root, relative(root.path, path), act)

/** Whether there is a folder at this path, and no link on the way. The root is inside itself. */
export function isFolderInside(root: PinnedFolder, path: string): boolean {
  try {
    return path === root.path ? isPinned(root) : actInside(root, path, entry => kindAt(entry) === 'folder')
  } catch {
    return false
  }
}

/** Sessions hold prompts, streams and logs, and so whatever secret an agent meets: only their owner may look into them. */
const isPrivate = (path: string): boolean => /^\.ralph\/sessions(?:\/|$)/.test(path)

/** The permissions of a new file at this path. */
export const fileMode = (root: PinnedFolder, path: string): number =>
  isPrivate(relative(root.path, path)) ? 0o600 : 0o644

/**
 * Creates a folder and those above it. What is in the way, a file or a link, is an error; with `force` it is removed, but
 * never what a link leads to.
 */
export function makeFolder(root: PinnedFolder, path: string, { force = false } = {}): void {
  const names = relative(root.path, path).split('/').filter(Boolean)
  for (let length = 1; length <= names.length; length++) {
    const folder = names.slice(0, length).join('/')
    actWithin(root, folder, entry => {
      const kind = kindAt(entry)
      if (kind === 'folder') return
      if (kind !== null && !force) throw notFolder(`${root.path}/${folder}`, kind)
      if (kind !== null) rmSync(entry, { force: true })
      mkdirSync(entry, isPrivate(folder) ? 0o700 : 0o777)
    })
  }
}

/** Calls `replace` where a file can be renamed to: that replaces anything but a folder, and needs a folder around it. */
export function forceReplace(root: PinnedFolder, path: string, replace: (entry: string) => void): void {
  makeFolder(root, dirname(path), { force: true })
  actInside(root, path, entry => {
    if (kindAt(entry) === 'folder') rmSync(entry, { recursive: true })
    replace(entry)
  })
}

export const forceReplaceFile = (root: PinnedFolder, path: string, data: string | Uint8Array): void =>
  forceReplace(root, path, entry => replaceFile(entry, data, fileMode(root, path)))

/** The same without waiting for the disk: a power cut may bring the version before back, or leave the file empty. */
export const forceReplaceFileUnsynced = (root: PinnedFolder, path: string, data: string | Uint8Array): void =>
  forceReplace(root, path, entry => replaceFileUnsynced(entry, data, fileMode(root, path)))

/** What became of a folder, as the end of a sentence. Null if it is there. */
export function lossOf(root: PinnedFolder): string | null {
  if (isPinned(root)) return null
  return kindAt(root.path) === null ? 'is gone' : 'was replaced'
}

/** What is at a path itself. Null if nothing is. */
export function kindAt(path: string): 'folder' | 'link' | 'file' | 'special' | null {
  try {
    const found = lstatSync(path, { throwIfNoEntry: false })
    if (!found) return null
    if (found.isDirectory()) return 'folder'
    if (found.isSymbolicLink()) return 'link'
    return found.isFile() ? 'file' : 'special'
  } catch {
    return null
  }
}

/** With the code that the system has for it, if it has one. */
const notFolder = (path: string, kind: string): PathChanged =>
  kind === 'link'
    ? new PathChanged(`${path} is a symbolic link; ralph does not follow links there`)
    : Object.assign(new PathChanged(`${path} is not a folder`), { code: 'ENOTDIR' })

/** What was in the place of a file, why it cannot be used, and where it is now. */
type MovedAside = { unusable: string; kept: string }

/**
 * A file of ralph's that others can write. Null if there is none. What cannot be read, a pipe or a huge file, is moved
 * aside: nothing is lost, and the path is free for a valid version. What a link leads to outside the root is left alone.
 */
export function readOrMove(root: PinnedFolder, path: string): Buffer | MovedAside | null {
  try {
    return readRegularFile(path, { limit: LIMITS.text })
  } catch (error) {
    if (!(error instanceof UnreadableFile)) return null
    const kept = actBeside(root, path, (entry, name) => renameSync(entry, name))
    return kept === null ? null : { unusable: `it ${error.why}`, kept }
  }
}

/** Saves a text next to a file, under a new name that ends in `.broken-` and a number. */
export function keepBroken(root: PinnedFolder, path: string, text: string): string {
  makeFolder(root, dirname(path), { force: true })
  return actBeside(root, path, (_, name) => replaceFile(name, text)) ?? path
}

/** Acts with the next free name beside a path, and returns it. Returns null if a link is on the way there. */
function actBeside(
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
