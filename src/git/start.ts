import { statSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { OWN_IGNORES } from '../core/own-ignore.ts'
import type { Env } from '../core/ports.ts'
import { pathSeenFrom } from '../store/files/paths.ts'
import { LIMITS, textAt } from '../store/files/read.ts'
import { git } from './git.ts'
import type { GitDirs } from './head.ts'
import { absentPaths, type Flag, topmost } from './hidden.ts'
import { hooksOf } from './hooks.ts'
import { contentOf, ignoredPaths, readStatus, repositoryAt, stagedEntries } from './status.ts'
import type { TreeState } from './tree-state.ts'

/** The repository when a run began. What was dirty then belongs to the user. */
export type Start = {
  root: string
  head: string | null
  branch: string | null
  /** The content of each dirty path, in the form of `contentOf`. */
  dirty: Record<string, string>
  /** What was staged: mode and object, as in the index. */
  staged: Record<string, { mode: string; object: string }>
  /** Untracked paths that git ignored. A whole folder ends in a slash. */
  ignored: string[]
  /** Paths that are marked assume-unchanged or skip-worktree, except those below. */
  flagged: Record<string, Flag>
  /** What a sparse checkout left out. A whole folder ends in a slash. */
  sparse: string[]
  /** When it was, in milliseconds. */
  at: number
  /** Which folders these are: the root, and the two of git. */
  ids: { root: string; own: string; common: string }
  /** A hash of the git hooks. */
  hooks: string
  dirs: GitDirs
}

export async function recordStart(project: string, env: Env): Promise<Start | null> {
  const at = Date.now()
  const status = await readStatus(project, env, { ignored: true })
  if (!status) return null
  const { root, head, branch, dirs, flags } = status
  const userPaths = status.paths.filter(path => !isOwnIgnore(root, path))
  const dirty = Object.fromEntries(userPaths.map(path => [path, contentOf(root, path)]))
  const staged = stagedEntries(status.text)
  const absent = new Set(absentPaths(root, flags))
  return {
    root,
    head,
    branch,
    dirty,
    staged,
    ignored: ignoredPaths(status.text),
    flagged: Object.fromEntries([...flags].filter(([path]) => !absent.has(path))),
    sparse: topmost(root, [...absent]),
    at,
    ids: idsOf({ root, dirs }),
    hooks: await hooksOf(root, env),
    dirs,
  }
}

/** Which folders a start is about. A missing one has an empty id. */
export function idsOf({ root, dirs }: Pick<Start, 'root' | 'dirs'>): {
  root: string
  own: string
  common: string
} {
  const idOf = (path: string) => {
    const found = statSync(path, { bigint: true, throwIfNoEntry: false })
    return found ? `${found.dev}:${found.ino}` : ''
  }
  return { root: idOf(root), own: idOf(dirs.own), common: idOf(dirs.common) }
}

/** A start as a journal keeps it: what is in the repository is named by its path from the project. */
export function packStart(start: Start, project: string): Start {
  const pack = (path: string) => (pathSeenFrom(start.root, path) === path ? path : relative(project, path))
  return { ...start, root: relative(project, start.root), dirs: mapDirs(start.dirs, pack) }
}

/** The reverse. The project may be elsewhere now. */
export function unpackStart(start: Start, project: string): Start {
  const unpack = (path: string) => resolve(project, path)
  return { ...start, root: unpack(start.root), dirs: mapDirs(start.dirs, unpack) }
}

const mapDirs = ({ own, common }: GitDirs, change: (path: string) => string): GitDirs => ({
  own: change(own),
  common: change(common),
})

/** Whether the repository is the one that a start is about: it has the commit that the run began at. */
export async function isSameRepository(start: Start, env: Env): Promise<boolean> {
  const now = idsOf(start)
  const { ids, head } = start
  if (now.own === '' || now.common === '') return false
  if (ids.root === now.root && (ids.own !== now.own || ids.common !== now.common)) return false
  return head === null || (await git(start.root, env, ['cat-file', '-e', `${head}^{commit}`])) !== null
}

/** Whether a folder is in such a repository, at the same place in it. */
export async function hasSameRepository(start: Start, project: string, env: Env): Promise<boolean> {
  const { root, dirs } = (await repositoryAt(project, env)) ?? {}
  const isSamePlace = root === start.root && dirs?.own === start.dirs.own && dirs.common === start.dirs.common
  return isSamePlace && isSameRepository(start, env)
}

/** An earlier run wrote it, perhaps one that crashed before its first event: not an edit of the user's. */
function isOwnIgnore(root: string, path: string): boolean {
  if (!path.endsWith('.ralph/.gitignore')) return false
  const text = textAt(join(root, path), { limit: LIMITS.small })
  return text === null ? contentOf(root, path) === 'absent' : OWN_IGNORES.includes(text)
}

/** The state of the tree when the run began. */
export const treeStateAtStart = ({ root, head, dirty }: Start): TreeState => ({
  root,
  head,
  contents: new Map(Object.entries(dirty)),
})
