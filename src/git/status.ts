import { createHash } from 'node:crypto'
import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  lstatSync,
  openSync,
  readlinkSync,
  readSync,
  realpathSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { git } from './git.ts'

/** Beyond this a file is told apart by its size and time: hashing it would cost more than it tells. */
export const HASHED_BYTES = 16 * 1024 * 1024

export type Status = {
  /** The repository's top folder; paths are relative to it. */
  root: string
  /** null before the first commit. */
  head: string | null
  /** null when HEAD is detached. */
  branch: string | null
  /** Every path that differs from HEAD or is new, but not ignored ones and not ralph's sessions; renames by both names. */
  paths: string[]
  /** git's own listing. */
  text: string
}

/** How the repository of a project stands. null outside one, or without git. Whoever knows its top saves a call. */
export async function readStatus(
  project: string,
  env: Record<string, string>,
  top?: string,
): Promise<Status | null> {
  const root = top ?? (await topOf(project, env))
  if (!root) return null
  const everything = ['--porcelain=v2', '--branch', '-z', '--untracked-files=all']
  const where = ['--', ':(top)', ':(top,exclude,glob)**/.ralph/sessions/**']
  const text = await git(project, env, ['status', ...everything, ...where])
  if (text === null) return null
  const header = (name: string) =>
    text
      .split('\0')
      .find(l => l.startsWith(`# ${name} `))
      ?.slice(name.length + 3)
  const oid = header('branch.oid')
  const branch = header('branch.head')
  return {
    root,
    head: oid === undefined || oid === '(initial)' ? null : oid,
    branch: branch === undefined || branch === '(detached)' ? null : branch,
    paths: changedPaths(text),
    text,
  }
}

async function topOf(project: string, env: Record<string, string>): Promise<string | undefined> {
  if (!mayBeTracked(project, env)) return undefined
  return (await git(project, env, ['rev-parse', '--show-toplevel']))?.replace(/\n$/, '')
}

/** To look costs less than to start git, which says no to a folder without a repository at or above it. */
function mayBeTracked(folder: string, env: Record<string, string>): boolean {
  if (env.GIT_DIR !== undefined) return true
  for (let path = realpathSync(folder); ; path = dirname(path)) {
    if (existsSync(join(path, '.git'))) return true
    if (path === dirname(path)) return false
  }
}

/** The paths of a porcelain v2 listing. */
export function changedPaths(status: string): string[] {
  const entries = status.split('\0')
  const paths: string[] = []
  for (let i = 0; i < entries.length; i++) {
    const entry = entries[i]!
    const fields = { '1': 8, '2': 9, u: 10, '?': 1 }[entry[0] ?? '']
    if (fields === undefined) continue
    paths.push(entry.split(' ').slice(fields).join(' '))
    // A rename is followed by its old path.
    if (entry[0] === '2') paths.push(entries[++i]!)
  }
  return paths
}

/** What a porcelain v2 listing has in the index that is not in HEAD. A path that was taken out has mode 0. */
export function stagedEntries(status: string): Record<string, { mode: string; object: string }> {
  const staged: Record<string, { mode: string; object: string }> = {}
  const entries = status.split('\0')
  for (let i = 0; i < entries.length; i++) {
    const [kind, xy = '.', , , mode = '', , , object = '', ...rest] = entries[i]!.split(' ')
    if (kind !== '1' && kind !== '2') continue
    const path = rest.slice(kind === '1' ? 0 : 1).join(' ')
    if (xy[0] !== '.') staged[path] = { mode: xy[0] === 'D' ? '0' : mode, object }
    if (kind === '2' && xy[0] === 'R') staged[entries[++i]!] = { mode: '0', object }
    else if (kind === '2') i++
  }
  return staged
}

/** What a path holds, in short; the same text means the same content. */
export function contentOf(root: string, path: string): string {
  const file = join(root, path)
  const stands = entryAt(file)
  if (!stands) return 'absent'
  if (stands.isSymbolicLink()) return linkOf(file)
  // Opening a pipe would wait for somebody to write to it.
  if (!stands.isFile()) return 'special'
  let fd: number
  try {
    fd = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW)
  } catch {
    return 'unreadable'
  }
  try {
    const { size, mtimeMs } = fstatSync(fd)
    if (size > HASHED_BYTES) return `${size} ${mtimeMs}`
    const hash = createHash('sha1')
    const chunk = Buffer.allocUnsafe(Math.min(size, 65_536) + 1)
    for (let n = readSync(fd, chunk); n > 0; n = readSync(fd, chunk)) hash.update(chunk.subarray(0, n))
    return hash.digest('hex')
  } catch {
    return 'unreadable' // Gone while we looked.
  } finally {
    closeSync(fd)
  }
}

function entryAt(file: string) {
  try {
    return lstatSync(file, { throwIfNoEntry: false })
  } catch {
    return undefined // A file is where a folder above it was.
  }
}

function linkOf(file: string): string {
  try {
    return `link ${readlinkSync(file)}`
  } catch {
    return 'absent'
  }
}
