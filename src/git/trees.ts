import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Env } from '../core/ports.ts'
import { UsageError } from '../core/usage-error.ts'
import { git, mustGit } from './git.ts'
import { pathKind } from './path-kind.ts'
import type { Start } from './start.ts'
import { rawChanges } from './tree-state.ts'

/** A folder that contains all these paths, relative to it. */
type Source = { folder: string; paths: string[] }

/** A tree: a commit, with some paths taken from folders and some left out. */
export type TreeSpec = { base: string | null; from: Source[]; without: string[] }

/** A temporary place for indexes and objects, outside the repository. */
export type Scratch = { folder: string; env: Env; close(): void }

/** It is in the run's folder, so what a crash leaves is deleted with the run. */
export function openScratch(start: Start, runDir: string, env: Env): Scratch {
  const folder = mkdtempSync(join(runDir, 'trees-'))
  mkdirSync(join(folder, 'objects'))
  return {
    folder,
    env: { ...env, ...objectsEnv(start, join(folder, 'objects')) },
    close: () => rmSync(folder, { recursive: true, force: true }),
  }
}

/** Makes git use this folder as the working tree, and this file as the index. */
export const repositoryEnv = (start: Start, folder: string, index: string): Env => ({
  GIT_DIR: start.dirs.own,
  GIT_WORK_TREE: folder,
  GIT_INDEX_FILE: index,
})

/** Makes git write objects into this folder, and find all others where the repository has them. */
export const objectsEnv = (start: Start, folder: string): Env => ({
  GIT_OBJECT_DIRECTORY: folder,
  GIT_ALTERNATE_OBJECT_DIRECTORIES: join(start.dirs.common, 'objects'),
})

/** A path in which two trees differ: mode and object in each of them, '' where there is none. */
export type TreeChange = { path: string; from: string; to: string; isRepository: boolean }

/** The changes that lead from one tree to another. */
export async function changesBetween(
  root: string,
  env: Env,
  from: string,
  to: string,
): Promise<TreeChange[]> {
  const args = ['diff-tree', '-r', '-z', '--raw', '--no-renames', '--no-abbrev', from, to]
  const isIn = (entry: string) => !entry.startsWith('000000 ')
  return rawChanges((await mustGit(root, env, args)).split('\0')).map(({ path, before, after }) => ({
    path,
    from: isIn(before) ? before : '',
    to: isIn(after) ? after : '',
    isRepository: [before, after].some(entry => entry.startsWith('160000 ')),
  }))
}

/** Writes files of a tree into the working tree, with an index of its own. */
export async function checkOut(
  start: Start,
  env: Env,
  index: string,
  tree: string,
  paths: readonly string[],
): Promise<void> {
  const own = { ...env, ...repositoryEnv(start, start.root, index) }
  await mustGit(start.root, own, ['read-tree', tree])
  await mustGit(start.root, own, ['checkout-index', '--force', '-z', '--stdin'], paths.join('\0'))
}

/**
 * Writes a tree object with an index of its own, so the user's index does not change. Content is read as `git add` reads
 * it. The index stays, so that files can be checked out of it.
 */
export async function writeTree(
  start: Start,
  env: Env,
  index: string,
  { base, from, without }: TreeSpec,
): Promise<string> {
  const run = (folder: string, args: string[], paths: string[] = []) =>
    mustGit(folder, { ...env, ...repositoryEnv(start, folder, index) }, args, paths.join('\0'))
  if (base !== null && (await git(start.root, env, ['cat-file', '-e', `${base}^{commit}`])) === null)
    throw new UsageError(`commit ${base.slice(0, 10)} is not in ${start.root} any more`)
  await run(start.root, base === null ? ['read-tree', '--empty'] : ['read-tree', base])
  const absent = [...without]
  const present = from.map(({ folder, paths }) => ({
    folder,
    paths: paths.filter(path => {
      const kind = pathKind(folder, path)
      const isPresent = kind === 'file' || kind === 'link' || kind === 'repository'
      if (!isPresent) absent.push(path)
      return isPresent
    }),
  }))
  if (absent.length > 0) await run(start.root, ['update-index', '-z', '--force-remove', '--stdin'], absent)
  for (const { folder, paths } of present)
    if (paths.length > 0) await run(folder, ['update-index', '-z', '--add', '--replace', '--stdin'], paths)
  return run(start.root, ['write-tree'])
}
