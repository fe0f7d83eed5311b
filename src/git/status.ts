import { createHash } from 'node:crypto'
import { closeSync, existsSync, fstatSync, lstatSync, readlinkSync, readSync, realpathSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { openRegularFile } from '../store/files/read.ts'
import { git } from './git.ts'

/** A larger file is compared by size and time, because hashing it is too slow. */
export const HASHED_BYTES = 16 * 1024 * 1024

export type Status = {
  /** The repository's top folder; paths are relative to it. */
  root: string
  /** null before the first commit. */
  head: string | null
  /** null if HEAD is detached. */
  branch: string | null
  /** Every path that differs from HEAD or is new, without ignored ones and ralph's sessions; a rename gives both names. */
  paths: string[]
  /** The output of `git status`. */
  text: string
}

/** The status of a project's repository; null outside one, or without git. Passing its top folder saves a call. */
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

/** Looking for `.git` at or above the folder is faster than starting git to get the same answer. */
function mayBeTracked(folder: string, env: Record<string, string>): boolean {
  if (env.GIT_DIR !== undefined) return true
  for (let path = realpathSync(folder); ; path = dirname(path)) {
    if (existsSync(join(path, '.git'))) return true
    if (path === dirname(path) || looksBare(path)) return false
  }
}

/** Git before 2.38 would take such a folder for a repository, whatever ralph says. */
const looksBare = (folder: string): boolean =>
  ['HEAD', 'objects', 'refs'].every(name => existsSync(join(folder, name)))

/** The paths in the output of `git status --porcelain=v2`. */
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

/** What is in the index and not in HEAD, from the same output. A removed path has mode 0. */
export function stagedEntries(status: string): Record<string, { mode: string; object: string }> {
  // As entries: assigning to `__proto__`, which may be the name of a file, would add nothing to an object.
  const staged: [path: string, { mode: string; object: string }][] = []
  const entries = status.split('\0')
  for (let i = 0; i < entries.length; i++) {
    const [kind, xy = '.', , , mode = '', , , object = '', ...rest] = entries[i]!.split(' ')
    if (kind !== '1' && kind !== '2') continue
    const path = rest.slice(kind === '1' ? 0 : 1).join(' ')
    if (xy[0] !== '.') staged.push([path, { mode: xy[0] === 'D' ? '0' : mode, object }])
    if (kind === '2' && xy[0] === 'R') staged.push([entries[++i]!, { mode: '0', object }])
    else if (kind === '2') i++
  }
  return Object.fromEntries(staged)
}

/** A short text for the content of a path; the same text means the same content. */
export function contentOf(root: string, path: string): string {
  const file = join(root, path)
  const stat = statOf(file)
  if (!stat) return 'absent'
  if (stat.isSymbolicLink()) return linkOf(file)
  // Opening a pipe would wait until somebody writes to it.
  if (!stat.isFile()) return 'special'
  let fd: number
  try {
    fd = openRegularFile(file, true)
  } catch {
    return 'unreadable'
  }
  try {
    const { size, mtimeMs } = fstatSync(fd)
    if (size > HASHED_BYTES) return `${size} ${mtimeMs}`
    const hash = createHash('sha1')
    const chunk = Buffer.allocUnsafe(Math.min(size, 65_536) + 1)
    let read = 0
    // It may grow meanwhile; what it has then is compared again later.
    for (let n = readSync(fd, chunk); n > 0 && read <= HASHED_BYTES; n = readSync(fd, chunk)) {
      hash.update(chunk.subarray(0, n))
      read += n
    }
    return hash.digest('hex')
  } catch {
    return 'unreadable' // It was removed meanwhile.
  } finally {
    closeSync(fd)
  }
}

function statOf(file: string) {
  try {
    return lstatSync(file, { throwIfNoEntry: false })
  } catch {
    return undefined // A folder above it is now a file.
  }
}

function linkOf(file: string): string {
  try {
    return `link ${readlinkSync(file)}`
  } catch {
    return 'absent'
  }
}
