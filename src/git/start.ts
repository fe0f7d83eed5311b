import { join } from 'node:path'
import { OWN_IGNORE } from '../core/own-ignore.ts'
import { LIMITS, textAt } from '../store/files/read.ts'
import { git } from './git.ts'
import type { GitDirs } from './head.ts'
import { hooksOf } from './hooks.ts'
import { contentOf, readStatus, stagedEntries } from './status.ts'
import type { TreeState } from './tree-state.ts'

/** The repository when a run began. What was dirty then belongs to the user. */
export type Start = {
  root: string
  head: string | null
  branch: string | null
  /** The content of each dirty path, in the form of `contentOf`. */
  dirty: Record<string, string>
  /** What was staged: mode and object, as in the index. Missing in runs of an older ralph. */
  staged?: Record<string, { mode: string; object: string }>
  /** A hash of the git hooks. */
  hooks: string
  dirs: GitDirs
}

export async function recordStart(project: string, env: Record<string, string>): Promise<Start | null> {
  const status = await readStatus(project, env)
  if (!status) return null
  const { root, head, branch } = status
  const userPaths = status.paths.filter(path => !isOwnIgnore(root, path))
  const dirty = Object.fromEntries(userPaths.map(path => [path, contentOf(root, path)]))
  const staged = stagedEntries(status.text)
  const dirs = await git(root, env, ['rev-parse', '--path-format=absolute', '--git-dir', '--git-common-dir'])
  const [own = '', common = ''] = dirs?.split('\n') ?? []
  return { root, head, branch, dirty, staged, hooks: await hooksOf(root, env), dirs: { own, common } }
}

/** An earlier run wrote it, perhaps one that crashed before its first event: not an edit of the user's. */
function isOwnIgnore(root: string, path: string): boolean {
  if (!path.endsWith('.ralph/.gitignore')) return false
  const text = textAt(join(root, path), { limit: LIMITS.small })
  return text === null ? contentOf(root, path) === 'absent' : ['', OWN_IGNORE].includes(text)
}

/** The state of the tree when the run began. */
export const treeStateAtStart = ({ root, head, dirty }: Start): TreeState => ({
  root,
  head,
  contents: new Map(Object.entries(dirty)),
})
