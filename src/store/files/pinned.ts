// Use these to act below a folder that an agent can write to. `pinFolder` notes which folder it is; `actWithin` acts on a
// path below it only while it is that folder, and follows no link on the way, at the moment of acting. `holdFolder` is for
// many files in one folder.

import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readlinkSync,
} from 'node:fs'

/** A folder by device and inode: a link, or another folder, at the same path is not it. */
export type PinnedFolder = { path: string; id: string }

/** A folder is no longer the one that was pinned, or a part of a path is a link or a file. Nothing was done. */
export class PathChanged extends Error {}

/** Throws a PathChanged if there is no folder at the path itself. */
export function pinFolder(path: string): PinnedFolder {
  const stat = lstatSync(path, { bigint: true, throwIfNoEntry: false })
  if (!stat?.isDirectory()) throw new PathChanged(`${path} is not a folder`)
  return { path, id: idOf(stat) }
}

/** Which folder is at this path. Null if there is none. */
export function idAt(path: string): string | null {
  const stat = statOf(path)
  return stat?.isDirectory() ? idOf(stat) : null
}

/** When a folder was made, in ms since the epoch. Undefined if the system does not know it. */
export const bornAt = (path: string): number | undefined =>
  Number(statOf(path)?.birthtimeMs ?? 0) || undefined

/** The disk that a folder is on, by the id of the folder. A disk may get another number when it is mounted again. */
export const deviceOf = (id: string): string => id.split(':', 1)[0]!

export function isPinned({ path, id }: PinnedFolder): boolean {
  const stat = statOf(path)
  return stat?.isDirectory() === true && idOf(stat) === id
}

/**
 * Calls `act` with a way to the last part of a path below a folder. Throws a PathChanged if a link or a file is on the way
 * there; what is at the path itself is for `act` to look at. With `make`, missing folders on the way are made.
 */
export function actWithin<T>(
  root: PinnedFolder,
  path: string,
  act: (entry: string) => T,
  { make = false } = {},
): T {
  const names = namesIn(root, path)
  const folder = openBelow(openRoot(root), names.slice(0, -1), make)
  try {
    return act(`${folder.way}/${names.at(-1)}`)
  } finally {
    folder.close()
  }
}

/** A folder below a pinned one, kept open: it can be acted in without a walk to it. */
export type HeldFolder = {
  /** Whether it is there, with no link on the way. */
  isThere(): boolean
  /** As `actWithin`, with a path below this folder. */
  act<T>(path: string, act: (entry: string) => T): T
  close(): void
}

/**
 * Walks to a folder when it is first needed, and keeps it open. Linux knows where an open folder is: while that is its
 * place below the pinned folder, there is no link on the way. Otherwise, and on other systems, it is walked to again.
 */
export function holdFolder(root: PinnedFolder, path: string): HeldFolder {
  const names = namesIn(root, path)
  let held: { folder: OpenFolder; place: string | null } | null = null
  const close = () => {
    held?.folder.close()
    held = null
  }
  const open = (): OpenFolder => {
    if (held?.place && isPinned(root) && currentPathOf(held.folder) === held.place) return held.folder
    close()
    const top = openRoot(root)
    const above = currentPathOf(top)
    held = { folder: openBelow(top, names, false), place: above && `${above}/${path}` }
    return held.folder
  }
  return {
    isThere() {
      try {
        open()
        return true
      } catch {
        return false
      }
    },
    act(below, act) {
      const [first, ...rest] = namesIn(root, below)
      const last = rest.pop()
      const folder = open()
      if (last === undefined) return act(`${folder.way}/${first}`)
      const inner = openBelow(openInner(folder, first!, false), rest, false)
      try {
        return act(`${inner.way}/${last}`)
      } finally {
        inner.close()
      }
    },
    close,
  }
}

/**
 * Calls `act` for each part of a path below a folder, from the top down, with a way to it and the path up to it, as long
 * as it returns true. A part is opened only after that, and must be a folder then. Once for the whole path: to call
 * `actWithin` for each part would take long where an agent made thousands of folders.
 */
export function walkWithin(
  root: PinnedFolder,
  path: string,
  act: (entry: string, part: string) => boolean,
): void {
  const names = namesIn(root, path)
  let folder = openRoot(root)
  let part = ''
  try {
    for (const name of names) {
      part = part === '' ? name : `${part}/${name}`
      if (!act(`${folder.way}/${name}`, part) || part === path) return
      const inner = openInner(folder, name, false)
      folder.close()
      folder = inner
    }
  } finally {
    folder.close()
  }
}

function namesIn(root: PinnedFolder, path: string): string[] {
  const names = path.split('/')
  if (path.includes('\0') || names.some(name => ['', '.', '..'].includes(name)))
    throw new PathChanged(`${path} is not a path below ${root.path}`)
  return names
}

/** `way`: a path to the folder that no later link can redirect, where the system has such paths. */
type OpenFolder = { fd: number; way: string; shown: string; close(): void }

/** On Linux this leads to the very folder that is open, whatever happens to its path meanwhile. */
const FD_FOLDER = '/proc/self/fd'
const hasFdFolder = existsSync(FD_FOLDER)

const FLAGS = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW

function openRoot({ path, id }: PinnedFolder): OpenFolder {
  const folder = openFolder(path, path)
  if (idOf(fstatSync(folder.fd, { bigint: true })) === id) return folder
  folder.close()
  throw new PathChanged(`${path} is no longer the same folder`)
}

function openInner(outer: OpenFolder, name: string, make: boolean): OpenFolder {
  const way = `${outer.way}/${name}`
  const shown = `${outer.shown}/${name}`
  if (make && !lstatSync(way, { throwIfNoEntry: false })) mkdirSync(way)
  return openFolder(way, shown)
}

/** Opens a folder below an open one, which is closed. */
function openBelow(outer: OpenFolder, names: readonly string[], make: boolean): OpenFolder {
  let folder = outer
  try {
    for (const name of names) {
      const inner = openInner(folder, name, make)
      folder.close()
      folder = inner
    }
    return folder
  } catch (error) {
    folder.close()
    throw error
  }
}

/** The path of an open folder now, without links. Null if the system does not say. */
const currentPathOf = ({ way }: OpenFolder): string | null => (hasFdFolder ? readlinkSync(way) : null)

function openFolder(way: string, shown: string): OpenFolder {
  let fd: number
  try {
    fd = openSync(way, FLAGS)
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException
    // A link gives one or the other, depending on the system.
    if (!['ENOTDIR', 'ELOOP'].includes(code)) throw error
    throw new PathChanged(`${shown} is a link or a file, not a folder`)
  }
  return { fd, way: hasFdFolder ? `${FD_FOLDER}/${fd}` : way, shown, close: () => closeSync(fd) }
}

const idOf = ({ dev, ino }: { dev: bigint; ino: bigint }): string => `${dev}:${ino}`

function statOf(path: string) {
  try {
    return lstatSync(path, { bigint: true, throwIfNoEntry: false })
  } catch {
    return undefined // A part of the path is now a file, or may not be looked into.
  }
}
