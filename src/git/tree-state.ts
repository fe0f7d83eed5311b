import { createHash } from 'node:crypto'
import type { Env } from '../core/ports.ts'
import { git } from './git.ts'
import { contentOf, type KnownStart, readStatus } from './status.ts'

/** The tree at one moment: the commit, and the content of each path that differs from it or is new. */
export type TreeState = { root: string; head: string | null; contents: ReadonlyMap<string, string> }

/** Reads everything but ignored files and ralph's own. null outside a git repository. */
export async function readTreeState(
  project: string,
  env: Env,
  start?: KnownStart,
): Promise<TreeState | null> {
  const status = await readStatus(project, env, { start })
  if (!status) return null
  const paths = status.paths.filter(path => !isInRalphFolder(path)).sort()
  return {
    root: status.root,
    head: status.head,
    contents: new Map(paths.map(path => [path, contentOf(status.root, path)])),
  }
}

/** A short text that is the same only for the same tree. */
export function fingerprintOf({ head, contents }: TreeState): string {
  const hash = createHash('sha1').update(head ?? '')
  for (const [path, content] of contents) hash.update(`\0${path}\0${content}`)
  return hash.digest('hex')
}

/** The paths whose content changed. A commit alone is not a change. */
export async function changedBetween(before: TreeState, after: TreeState, env: Env): Promise<string[]> {
  const committed =
    before.head === after.head ? [] : await pathsBetween(after.root, env, before.head, after.head)
  const paths = new Set([...before.contents.keys(), ...after.contents.keys(), ...committed])
  return [...paths]
    .filter(path => {
      const was = before.contents.get(path)
      if (was === undefined) return !isInRalphFolder(path)
      return was !== (after.contents.get(path) ?? contentOf(after.root, path))
    })
    .sort()
}

/** The paths in which two commits differ. Null stands for no commit yet. */
export async function pathsBetween(
  root: string,
  env: Env,
  from: string | null,
  to: string | null,
): Promise<string[]> {
  return (await diffTrees(root, env, '--name-only', from, to)).filter(Boolean)
}

/** How an earlier commit has the paths in which a later one differs: mode and object. Mode 0 if it does not have one. */
export async function entriesBetween(
  root: string,
  env: Env,
  from: string | null,
  to: string | null,
): Promise<{ path: string; entry: string }[]> {
  const fields = await diffTrees(root, env, '--raw', from, to)
  return rawChanges(fields).map(({ path, before }) => ({ path, entry: before }))
}

/** What `git diff --raw -z` shows, in fields: each path, and mode and object on both sides. */
export const rawChanges = (fields: readonly string[]): { path: string; before: string; after: string }[] =>
  // `:oldmode newmode oldobject newobject status`, then the path.
  fields.flatMap((field, index) => {
    const [was, is, before, after] = field.startsWith(':') ? field.slice(1).split(' ') : []
    const path = fields[index + 1]
    if (index % 2 !== 0 || !was || !is || !before || !after || !path) return []
    return [{ path, before: `${was} ${before}`, after: `${is} ${after}` }]
  })

async function diffTrees(
  root: string,
  env: Env,
  format: string,
  from: string | null,
  to: string | null,
): Promise<string[]> {
  const trees = [from ?? (await emptyTree(root, env)), to ?? (await emptyTree(root, env))]
  const out = await git(root, env, ['diff-tree', '-r', '-z', format, '--no-abbrev', '--no-renames', ...trees])
  return (out ?? '').split('\0')
}

/** The hash of the empty tree, which depends on the repository's hash function. */
const emptyTree = async (root: string, env: Env): Promise<string> =>
  (await git(root, env, ['hash-object', '-t', 'tree', '--stdin']))?.trim() ?? ''

/** Whether a path is in one of ralph's folders: nothing there is part of the work, also what people write there. */
export const isInRalphFolder = (path: string) => /(^|\/)\.ralph(\/|-active$)/.test(path)
