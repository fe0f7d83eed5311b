import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { OWN_IGNORE } from '../core/own-ignore.ts'
import { git } from './git.ts'
import type { GitDirs } from './head.ts'
import type { Look } from './look.ts'
import { contentOf, readStatus, stagedEntries } from './status.ts'

/** The repository as a run found it. What was dirty then is the user's, and stays theirs. */
export type Start = {
  root: string
  head: string | null
  branch: string | null
  /** What each path that was dirty held. */
  dirty: Record<string, string>
  /** What of it was staged: mode and object, as the index had them. Runs of an older ralph do not tell. */
  staged?: Record<string, { mode: string; object: string }>
  /** The hooks, in short. */
  hooks: string
  dirs: GitDirs
}

export async function recordStart(project: string, env: Record<string, string>): Promise<Start | null> {
  const status = await readStatus(project, env)
  if (!status) return null
  const { root, head, branch } = status
  const theirs = status.paths.filter(path => !isOwnIgnore(root, path))
  const dirty = Object.fromEntries(theirs.map(path => [path, contentOf(root, path)]))
  const staged = stagedEntries(status.text)
  const dirs = await git(root, env, ['rev-parse', '--path-format=absolute', '--git-dir', '--git-common-dir'])
  const [own = '', common = ''] = dirs?.split('\n') ?? []
  return { root, head, branch, dirty, staged, hooks: await hooksOf(root, env), dirs: { own, common } }
}

/** Left by an earlier run, perhaps one that was cut off before it was on record: no edit of the user's. */
const isOwnIgnore = (root: string, path: string): boolean =>
  path.endsWith('.ralph/.gitignore') && ['', OWN_IGNORE].includes(read(join(root, path)).toString())

/** Which hooks would run, by name and content. */
export async function hooksOf(root: string, env: Record<string, string>): Promise<string> {
  const path = (await git(root, env, ['rev-parse', '--git-path', 'hooks']))?.trimEnd()
  if (!path) return ''
  const dir = resolve(root, path)
  const hash = createHash('sha1').update(dir)
  for (const name of namesIn(dir).filter(n => !n.endsWith('.sample')))
    hash.update(`\0${name}\0`).update(read(join(dir, name)))
  return hash.digest('hex')
}

function namesIn(dir: string): string[] {
  try {
    return readdirSync(dir).sort()
  } catch {
    return []
  }
}

function read(path: string): Buffer | string {
  try {
    return readFileSync(path)
  } catch {
    return ''
  }
}

/** How the tree stood, as a look at it would have told. */
export const lookOf = ({ root, head, dirty }: Start): Look => ({
  root,
  head,
  contents: new Map(Object.entries(dirty)),
})
