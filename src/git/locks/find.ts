import { existsSync, readdirSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { isWithin } from '../../store/files/paths.ts'
import { LIMITS, textAt } from '../../store/files/read.ts'
import { type GitDirs, readBranch } from '../head.ts'
import { statAt } from '../path-kind.ts'
import type { Start } from '../start.ts'

/** A file by which git keeps others out while it changes the file of the same name without `.lock`. */
export type Lock = {
  path: string
  /** Another lock at the same path has another one. */
  id: string
  /** In ms since the epoch. */
  madeAt: number
  /** It is a file of the user that ralph runs as. Git makes no other. */
  isPlain: boolean
}

/**
 * The locks that keep git from committing here, or from changing branches and configuration. `named`: locks that git
 * complained about. Only these are looked for, because a walk through all branches takes too long for every iteration.
 */
export function findLocks(dirs: GitDirs, named: readonly string[] = []): Lock[] {
  const { own, common } = dirs
  const branch = readBranch(dirs)
  const paths = [
    join(own, 'index.lock'),
    join(own, 'HEAD.lock'),
    ...(branch === null ? [] : [join(common, 'refs', 'heads', `${branch}.lock`)]),
    join(common, 'packed-refs.lock'),
    join(common, 'config.lock'),
    ...named.filter(path => [own, common].some(dir => isWithin(dir, path))),
  ]
  return [...new Set(paths)].flatMap(path => lockAt(path) ?? [])
}

/** Whether a lock is still the same one. */
export const isSameLock = ({ path, id }: Lock): boolean => lockAt(path)?.id === id

function lockAt(path: string): Lock | null {
  const found = statAt(path)
  if (!found) return null
  const { ino, ctimeMs, birthtimeMs } = found
  return {
    path,
    id: `${ino} ${ctimeMs}`,
    // Nobody can set these times; not every file system has the second.
    madeAt: Math.min(ctimeMs, birthtimeMs || ctimeMs),
    isPlain: found.isFile() && found.uid === process.getuid?.(),
  }
}

/** Whether a git that is in this folder may work on the repository: its own folders, and all of its working trees. */
export function folderTester({ root, dirs }: Pick<Start, 'root' | 'dirs'>): (folder: string) => boolean {
  const linked = join(dirs.common, 'worktrees')
  const names = existsSync(linked) ? readdirSync(linked) : []
  const trees = names.flatMap(name => {
    const text = textAt(join(linked, name, 'gitdir'), { limit: LIMITS.small })
    return text === null ? [] : dirname(text.trim())
  })
  // The main working tree is around the common folder, unless that one lies elsewhere.
  const folders = [root, dirs.own, dirs.common, dirname(dirs.common), ...trees]
  return folder => folders.some(top => isWithin(top, folder))
}

/** The lock in a complaint of git's, which is in the user's language. Null if it is about something else. */
export const lockIn = (complaint: string): string | null =>
  /\/[^\n'"’”»]*\.lock(?=\W|$)/.exec(complaint)?.[0] ?? null

/** What locks mean and what to do about them. Paths are shown relative to `from`. */
export function describeLocks(locks: readonly string[], from: string): string {
  const names = locks.map(path => relative(from, path))
  const [are, them] = names.length === 1 ? ['exists', 'it'] : ['exist', 'them']
  return `${names.join(', ')} ${are}, so git is running or was killed; if no git is running, remove ${them}: rm ${names.join(' ')}`
}
