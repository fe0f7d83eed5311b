import { constants, copyFileSync, lstatSync, mkdirSync, readlinkSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Env } from '../core/ports.ts'
import { textAt } from '../store/files/read.ts'
import { gitBytes } from './git.ts'
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
  const hash = Object.hasOwn(start.dirty, path) ? start.dirty[path] : undefined
  if (hash === 'absent') return !path.includes('\ufffd')
  return hash !== undefined && contentOf(keptFolder(runDir), path) === hash && hash !== 'special'
}

/** Copies a link as a link and a file with its mode. Returns false if it fails. `made`: folders that exist already. */
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

/** The text of a path. Null if there was none, undefined if nobody can know. */
type Text = string | null | undefined

/**
 * Reads files as they were at the start: dirty ones from their copies, all others with one call of git. It remembers what
 * it read. null if git fails.
 */
export function textsAtStart(start: Start, runDir: string, env: Env) {
  const known = new Map<string, Text>()
  return async (paths: readonly string[]): Promise<ReadonlyMap<string, Text> | null> => {
    const unknown = paths.filter(path => !known.has(path))
    const clean = unknown.filter(path => !Object.hasOwn(start.dirty, path))
    const blobs = await readBlobs(start.root, env, start.head, clean)
    if (!blobs) return null
    for (const path of unknown)
      known.set(path, Object.hasOwn(start.dirty, path) ? keptText(start, runDir, path) : blobs.get(path))
    return known
  }
}

function keptText(start: Start, runDir: string, path: string): Text {
  const content = start.dirty[path]!
  if (content === 'absent') return null
  if (content.startsWith('link ') || !isKept(start, runDir, path)) return undefined
  return textAt(join(keptFolder(runDir), path), { limit: LIMITS.file }) ?? undefined
}

/**
 * Reads files of a commit with one call of git. Returns null if git fails. A path that the commit does not have gives
 * null. What is no file is left out.
 */
async function readBlobs(
  root: string,
  env: Env,
  commit: string | null,
  paths: readonly string[],
): Promise<Map<string, string | null> | null> {
  const found = new Map<string, string | null>()
  // git reads one name from each line.
  const names = paths.filter(path => !path.includes('\n'))
  if (commit === null) return new Map(paths.map(path => [path, null]))
  if (names.length === 0) return found
  const asked = names.map(path => `${commit}:${path}\n`).join('')
  let rest = await gitBytes(root, env, ['cat-file', '--batch'], asked)
  if (!rest) return null
  for (const path of names) {
    const end = rest.indexOf('\n')
    if (end < 0) break
    const header = rest.subarray(0, end).toString()
    const blob = /^\w+ (\w+) (\d+)$/.exec(header)
    rest = rest.subarray(end + 1)
    if (!blob) {
      if (header.endsWith(' missing')) found.set(path, null)
      continue
    }
    const size = Number(blob[2])
    if (blob[1] === 'blob') found.set(path, rest.subarray(0, size).toString())
    rest = rest.subarray(size + 1)
  }
  return found
}
