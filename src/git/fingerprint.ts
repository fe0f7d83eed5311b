import { createHash } from 'node:crypto'
import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { join } from 'node:path'
import { git } from './git.ts'

/** Beyond this a file is told apart by its size and time: hashing it would cost more than it tells. */
const HASHED_BYTES = 16 * 1024 * 1024

/**
 * The tree in a few characters: the commit, the state of every changed or new path, and their contents.
 * Ralph's own files and ignored ones do not count. null outside a git repository.
 */
export async function fingerprint(project: string, env: Record<string, string>): Promise<string | null> {
  const root = await git(project, env, ['rev-parse', '--show-toplevel'])
  const status = await git(project, env, [
    'status',
    '--porcelain=v2',
    '--branch',
    '-z',
    '--untracked-files=all',
    '--',
    ':(top)',
    ':(top,exclude,glob)**/.ralph/**',
  ])
  if (root === null || status === null) return null
  const hash = createHash('sha1').update(status)
  for (const path of changedPaths(status))
    hash.update(`\0${path}\0`).update(contentOf(join(root.trimEnd(), path)))
  return hash.digest('hex')
}

/** The paths of a porcelain v2 listing; a rename's old path comes as an entry of its own and is skipped. */
export function changedPaths(status: string): string[] {
  const entries = status.split('\0')
  const paths: string[] = []
  for (let i = 0; i < entries.length; i++) {
    const entry = entries[i]!
    const fields = { '1': 8, '2': 9, u: 10, '?': 1 }[entry[0] ?? '']
    if (fields === undefined) continue
    paths.push(entry.split(' ').slice(fields).join(' '))
    if (entry[0] === '2') i++
  }
  return paths
}

function contentOf(path: string): string | Buffer {
  let fd: number
  try {
    fd = openSync(path, 'r')
  } catch {
    return 'absent'
  }
  try {
    const { size, mtimeMs } = fstatSync(fd)
    if (size > HASHED_BYTES) return `${size} ${mtimeMs}`
    const hash = createHash('sha1')
    const chunk = Buffer.allocUnsafe(Math.min(size, 65_536) + 1)
    for (let n = readSync(fd, chunk); n > 0; n = readSync(fd, chunk)) hash.update(chunk.subarray(0, n))
    return hash.digest()
  } catch {
    return 'unreadable' // A folder (a nested repository), or gone while we looked.
  } finally {
    closeSync(fd)
  }
}
