import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { findFiles } from './find.ts'
import type { Glob } from './match.ts'

/** Some globs below a folder. */
export type Area = { root: string; globs: Glob[] }

/** A file as it was: enough to put it back. `stat` tells cheaply that nothing happened to it since. */
type Kept = { kind: 'file' | 'link'; data: string; mode: number; stat: string }
export type Snapshot = Record<string, Kept>

/** More than this is not protection but a backup. */
export const MAX_FILES = 5000

/** What the areas hold now: the last look itself, if nothing changed since; what did not is not read again. */
export function takeSnapshot(areas: Area[], last: Snapshot): Snapshot {
  const snapshot: Snapshot = {}
  for (const { root, globs } of areas)
    for (const path of findAll(root, globs)) {
      const kept = look(path, last[path])
      if (kept) snapshot[path] = kept
    }
  const paths = Object.keys(snapshot)
  const unchanged =
    paths.length === Object.keys(last).length && paths.every(path => snapshot[path] === last[path])
  return unchanged ? last : snapshot
}

/**
 * Puts back what differs from the snapshot, and says what that was. What is in the way goes first: a folder may
 * have become a file or a link, and nothing is ever written or removed through a link.
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
    clearWay(root, path)
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

/** Removes whatever below the root stands where a folder is needed, and what stands at the path itself. */
function clearWay(root: string, path: string): void {
  const parts = relative(root, path).split('/')
  for (let depth = 1; depth < parts.length; depth++) {
    const ancestor = join(root, ...parts.slice(0, depth))
    if (lstatSync(ancestor, { throwIfNoEntry: false })?.isDirectory() === false)
      rmSync(ancestor, { force: true })
  }
  rmSync(path, { recursive: true, force: true })
}

function look(path: string, last: Kept | undefined): Kept | null {
  try {
    const s = lstatSync(path)
    const stat = [s.ino, s.size, s.mtimeMs, s.ctimeMs, s.mode].join(' ')
    if (last?.stat === stat) return last
    const mode = s.mode & 0o7777
    if (s.isSymbolicLink()) return { kind: 'link', data: readlinkSync(path), mode, stat }
    return s.isFile() ? { kind: 'file', data: readFileSync(path, 'base64'), mode, stat } : null
  } catch {
    return null
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
