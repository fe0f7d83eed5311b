import { constants, copyFileSync, lstatSync, mkdirSync, readlinkSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { standsAt } from './stands.ts'
import type { Start } from './start.ts'
import { contentOf, HASHED_BYTES } from './status.ts'

/** What of the user's is kept at most; beyond it a copy would cost more than a start may. */
const KEPT = { file: HASHED_BYTES, files: 5000, bytes: 256 * 1024 * 1024 }

/** Where a run keeps what was dirty at its start: the same paths, below this. */
export const keptFolder = (runDir: string): string => join(runDir, 'start')

/**
 * Copies what was dirty at the start, so that it can be put back whatever becomes of it. Gives the paths that are
 * not kept: too large, too many, not readable, or repositories of their own. Costs nothing where nothing is dirty.
 */
export function keepDirty(start: Start, runDir: string): string[] {
  const missing: string[] = []
  const folders = new Set<string>()
  let files = 0
  let bytes = 0
  for (const [path, content] of Object.entries(start.dirty)) {
    if (content === 'absent' && !path.includes('\ufffd')) continue
    const size = lstatSync(join(start.root, path), { throwIfNoEntry: false })?.size ?? 0
    const fits = size <= KEPT.file && files < KEPT.files && bytes + size <= KEPT.bytes
    if (!fits || !copy(start.root, path, keptFolder(runDir), folders)) {
      missing.push(path)
      continue
    }
    files++
    bytes += size
  }
  return missing
}

/** Whether what a path held at the start can be put back: nothing, or a copy that is still what it was. */
export function isKept(start: Start, runDir: string, path: string): boolean {
  const held = start.dirty[path]
  if (held === 'absent') return !path.includes('\ufffd')
  return held !== undefined && contentOf(keptFolder(runDir), path) === held && held !== 'special'
}

/** A link as a link, a file with its mode; false where that cannot be done. `made` are folders that are there. */
function copy(root: string, path: string, folder: string, made: Set<string>): boolean {
  const from = join(root, path)
  const to = join(folder, path)
  try {
    const stands = standsAt(root, path)
    if (stands !== 'file' && stands !== 'link') return false
    if (!made.has(dirname(to))) mkdirSync(dirname(to), { recursive: true, mode: 0o700 })
    made.add(dirname(to))
    if (stands === 'link') symlinkSync(readlinkSync(from), to)
    else copyFileSync(from, to, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE)
    return true
  } catch {
    return false
  }
}
