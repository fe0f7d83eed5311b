import { chmodSync, lstatSync, mkdirSync, readlinkSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { CannotGoOn } from '../core/ports.ts'
import { LIMITS, readRegularFile, UnreadableFile } from '../store/files/read.ts'
import { findFiles } from './find-files.ts'
import type { Glob } from './glob.ts'

/** Globs relative to a folder. */
export type Area = { root: string; globs: Glob[] }

/** What is needed to put a file back; a large file is only noticed. `stat` is a fast way to see that it has not changed. */
type Kept = { kind: 'file' | 'link' | 'large'; data: string; mode: number; stat: string }
export type Snapshot = Record<string, Kept>

/** Protection is for some files; more would be a backup. */
export const MAX_FILES = 5000

/** All of them are kept in memory, and on disk. */
const MAX_KEPT = 128 * 1024 * 1024

/** Throws CannotGoOn if these files could not all be put back. */
export function requireKeepable(snapshot: Snapshot): void {
  const large = Object.keys(snapshot).find(path => snapshot[path]!.kind === 'large')
  if (large !== undefined)
    throw new CannotGoOn(
      `${large} is protected and larger than ${LIMITS.text / 1024 ** 2} MiB, so ralph could not put it back; take it out of "protect"`,
    )
  const size = Object.values(snapshot).reduce((sum, { data }) => sum + (data.length * 3) / 4, 0)
  if (size > MAX_KEPT)
    throw new CannotGoOn(
      `the protected files have more than ${MAX_KEPT / 1024 ** 2} MiB together; protect fewer of them`,
    )
}

/** Reads the files of the areas; an unchanged file is not read again. Returns `last` itself if nothing changed. */
export function takeSnapshot(areas: Area[], last: Snapshot): Snapshot {
  const snapshot: Snapshot = {}
  for (const { root, globs } of areas)
    for (const path of findAll(root, globs)) {
      const kept = read(path, last[path])
      if (kept) snapshot[path] = kept
    }
  const paths = Object.keys(snapshot)
  const unchanged =
    paths.length === Object.keys(last).length && paths.every(path => snapshot[path] === last[path])
  return unchanged ? last : snapshot
}

/**
 * Puts back what differs from the snapshot, and returns those paths. It first removes what is in the way: a folder may
 * have become a file or a link, and nothing is written or removed through a link.
 */
export function restoreSnapshot(areas: Area[], snapshot: Snapshot): string[] {
  const now = takeSnapshot(areas, snapshot)
  if (now === snapshot) return []
  const changed = [...new Set([...Object.keys(snapshot), ...Object.keys(now)])].filter(
    path => !isSame(snapshot[path], now[path]),
  )
  for (const path of changed) if (now[path]) rmSync(path, { recursive: true, force: true })
  for (const path of changed) {
    const before = snapshot[path]
    if (!before) continue
    const root = areas.find(area => path.startsWith(`${area.root}/`))?.root ?? dirname(path)
    clearPath(root, path)
    write(path, before)
  }
  return changed
}

const isSame = (before: Kept | undefined, after: Kept | undefined) =>
  before !== undefined &&
  after !== undefined &&
  before.kind === after.kind &&
  before.data === after.data &&
  before.mode === after.mode

/** Removes what is at the path, and anything above it, below the root, that is not a folder. */
function clearPath(root: string, path: string): void {
  const parts = relative(root, path).split('/')
  for (let depth = 1; depth < parts.length; depth++) {
    const ancestor = join(root, ...parts.slice(0, depth))
    if (lstatSync(ancestor, { throwIfNoEntry: false })?.isDirectory() === false)
      rmSync(ancestor, { force: true })
  }
  rmSync(path, { recursive: true, force: true })
}

function read(path: string, last: Kept | undefined): Kept | null {
  try {
    const s = lstatSync(path)
    const stat = [s.ino, s.size, s.mtimeMs, s.ctimeMs, s.mode].join(' ')
    if (last?.stat === stat) return last
    const mode = s.mode & 0o7777
    if (s.isSymbolicLink()) return { kind: 'link', data: readlinkSync(path), mode, stat }
    if (!s.isFile()) return null
    return { ...contentOf(path), mode, stat }
  } catch {
    return null
  }
}

function contentOf(path: string): Pick<Kept, 'kind' | 'data'> {
  try {
    const bytes = readRegularFile(path, { limit: LIMITS.text, noLink: true })
    return { kind: 'file', data: bytes.toString('base64') }
  } catch (error) {
    if (error instanceof UnreadableFile) return { kind: 'large', data: '' }
    throw error
  }
}

function write(path: string, kept: Kept): void {
  mkdirSync(dirname(path), { recursive: true })
  if (kept.kind === 'link') symlinkSync(kept.data, path)
  else {
    writeFileSync(path, Buffer.from(kept.data, 'base64'))
    chmodSync(path, kept.mode)
  }
}

function findAll(root: string, globs: Glob[]): string[] {
  const found = new Set<string>()
  for (const glob of globs)
    for (const path of findFiles(root, glob)) if (found.size < MAX_FILES) found.add(join(root, path))
  return [...found]
}
