import { constants, copyFileSync, lstatSync, mkdirSync, readlinkSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { pathKind } from './path-kind.ts'
import type { Start } from './start.ts'
import { contentOf, HASHED_BYTES } from './status.ts'

/** How much of the user's files is copied; more would make the start of a run slow. */
const LIMITS = { file: HASHED_BYTES, files: 5000, bytes: 256 * 1024 * 1024 }

/** Where a run keeps copies of the files that were dirty at its start, under the same paths. */
export const keptFolder = (runDir: string): string => join(runDir, 'start')

/**
 * Copies the files that were dirty at the start, so that an undo can put them back. Returns the paths that are not kept:
 * too large, too many, unreadable, or nested repositories.
 */
export function keepDirty(start: Start, runDir: string): string[] {
  const notKept: string[] = []
  const folders = new Set<string>()
  let files = 0
  let bytes = 0
  for (const [path, content] of Object.entries(start.dirty)) {
    if (content === 'absent' && !path.includes('\ufffd')) continue
    const size = lstatSync(join(start.root, path), { throwIfNoEntry: false })?.size ?? 0
    const fits = size <= LIMITS.file && files < LIMITS.files && bytes + size <= LIMITS.bytes
    if (!fits || !copy(start.root, path, keptFolder(runDir), folders)) {
      notKept.push(path)
      continue
    }
    files++
    bytes += size
  }
  return notKept
}

/** Whether the path can be put back as it was at the start: it was absent, or its copy is unchanged. */
export function isKept(start: Start, runDir: string, path: string): boolean {
  const held = Object.hasOwn(start.dirty, path) ? start.dirty[path] : undefined
  if (held === 'absent') return !path.includes('\ufffd')
  return held !== undefined && contentOf(keptFolder(runDir), path) === held && held !== 'special'
}

/** Copies a link as a link and a file with its mode; false if it fails. `made`: folders that exist already. */
function copy(root: string, path: string, folder: string, made: Set<string>): boolean {
  const from = join(root, path)
  const to = join(folder, path)
  try {
    const kind = pathKind(root, path)
    if (kind !== 'file' && kind !== 'link') return false
    if (!made.has(dirname(to))) mkdirSync(dirname(to), { recursive: true, mode: 0o700 })
    made.add(dirname(to))
    if (kind === 'link') symlinkSync(readlinkSync(from), to)
    else copyFileSync(from, to, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE)
    return true
  } catch {
    return false
  }
}
