import { lstatSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'
import { CannotGoOn } from '../core/ports.ts'
import { LIMITS, readRegularFile, UnreadableFile } from '../store/files/read.ts'
import type { Area } from './area.ts'
import { findFiles, isMissing } from './find-files.ts'

/** What is needed to put a file back. `stat` is a fast way to see that it has not changed. */
export type Kept = {
  /** Only files and links can be put back. */
  kind: 'file' | 'link' | 'special' | 'unreadable' | 'large'
  data: string
  mode: number
  stat: string
}

/** By absolute path. */
export type Snapshot = Record<string, Kept>

/** Protection is for some files; more would be a backup. */
export const MAX_FILES = 5000

/** All of them are kept in memory, and on disk. */
const MAX_KEPT = 128 * 1024 * 1024

export type AreaFiles = {
  files: Snapshot
  /** Folders that cannot be looked into. */
  closed: string[]
}

/** Reads the files of the areas. A file that is as in `last` is not read again. */
export function readAreas(areas: Area[], last: Snapshot): AreaFiles {
  const files: Snapshot = {}
  const closed = new Set<string>()
  for (const { root, globs, paths } of areas) {
    const found = new Set(paths.map(path => linkAbove(root, path) ?? path))
    for (const glob of globs) {
      const { files: matched, closed: shut } = findFiles(root, glob)
      for (const path of matched) found.add(path)
      for (const path of shut) closed.add(join(root, path))
    }
    for (const path of found) {
      const file = join(root, path)
      const kept = read(file, last[file])
      if (kept) files[file] = kept
    }
  }
  return { files, closed: [...closed] }
}

/** The first link on the way to a path: what lies behind it is not in the folder. */
function linkAbove(root: string, path: string): string | null {
  const parts = path.split('/')
  for (let depth = 1; depth < parts.length; depth++) {
    const above = parts.slice(0, depth).join('/')
    if (lstatSync(join(root, above), { throwIfNoEntry: false })?.isSymbolicLink()) return above
  }
  return null
}

/** A snapshot of the areas. It is `last` itself if nothing changed. Throws CannotGoOn if it could not all be put back. */
export function takeSnapshot(areas: Area[], last: Snapshot): Snapshot {
  const { files, closed } = readAreas(areas, last)
  const paths = Object.keys(files)
  if (
    closed.length === 0 &&
    paths.length === Object.keys(last).length &&
    paths.every(path => files[path] === last[path])
  )
    return last
  requireKeepable(files, closed)
  return files
}

function requireKeepable(files: Snapshot, closed: string[]): void {
  const paths = Object.keys(files)
  const unreadable = closed[0] ?? paths.find(path => files[path]!.kind === 'unreadable')
  if (unreadable !== undefined)
    throw new CannotGoOn(`${unreadable} is protected and cannot be read; fix its permissions`)
  if (paths.length > MAX_FILES)
    throw new CannotGoOn(
      `${paths.length} files are protected, and at most ${MAX_FILES} can be; take some out of "protect"`,
    )
  const large = paths.find(path => files[path]!.kind === 'large')
  if (large !== undefined)
    throw new CannotGoOn(
      `${large} is protected and larger than ${LIMITS.text / 1024 ** 2} MiB, so ralph could not put it back; take it out of "protect"`,
    )
  const size = Object.values(files).reduce((sum, { data }) => sum + (data.length * 3) / 4, 0)
  if (size > MAX_KEPT)
    throw new CannotGoOn(
      `the protected files have more than ${MAX_KEPT / 1024 ** 2} MiB together; protect fewer of them`,
    )
}

/** The paths that differ. */
export function differingPaths(before: Snapshot, now: Snapshot): string[] {
  if (before === now) return []
  return [...new Set([...Object.keys(before), ...Object.keys(now)])].filter(
    path => !isSame(before[path], now[path]),
  )
}

const isSame = (before: Kept | undefined, after: Kept | undefined) =>
  before === after ||
  (before !== undefined &&
    after !== undefined &&
    before.kind === after.kind &&
    before.data === after.data &&
    before.mode === after.mode)

/** What is at a path. Null if nothing is. */
function read(path: string, last: Kept | undefined): Kept | null {
  const kept = (kind: Kept['kind'], data: string, mode: number, stat: string) => ({ kind, data, mode, stat })
  try {
    const s = lstatSync(path, { throwIfNoEntry: false })
    if (!s) return null
    const stat = [s.ino, s.size, s.mtimeMs, s.ctimeMs, s.mode].join(' ')
    if (last?.stat === stat) return last
    const mode = s.mode & 0o7777
    if (s.isSymbolicLink()) return kept('link', readlinkSync(path), mode, stat)
    if (!s.isFile()) return kept('special', '', 0, stat)
    return { ...contentOf(path), mode, stat }
  } catch (error) {
    return isMissing(error) ? null : kept('unreadable', '', 0, '')
  }
}

/** In base64. */
function contentOf(path: string): Pick<Kept, 'kind' | 'data'> {
  try {
    const bytes = readRegularFile(path, { limit: LIMITS.text, noLink: true })
    return { kind: 'file', data: bytes.toString('base64') }
  } catch (error) {
    if (error instanceof UnreadableFile) return { kind: 'large', data: '' }
    throw error
  }
}
