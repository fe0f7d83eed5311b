import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { UsageError } from '../core/usage-error.ts'
import { git, mustGit } from './git.ts'
import { pathKind } from './path-kind.ts'
import type { Start } from './start.ts'

/** A folder that contains all these paths, relative to it. */
type Source = { folder: string; paths: string[] }

/** A tree: a commit, with some paths taken from folders and some left out. */
export type TreeSpec = { base: string | null; from: Source[]; without: string[] }

/** A temporary place for indexes and objects, outside the repository. */
export type Scratch = { folder: string; env: Record<string, string>; close(): void }

/** It is in the run's folder, so what a crash leaves is deleted with the run. */
export function openScratch(start: Start, runDir: string, env: Record<string, string>): Scratch {
  const folder = mkdtempSync(join(runDir, 'trees-'))
  mkdirSync(join(folder, 'objects'))
  return {
    folder,
    env: {
      ...env,
      GIT_OBJECT_DIRECTORY: join(folder, 'objects'),
      GIT_ALTERNATE_OBJECT_DIRECTORIES: join(start.dirs.common, 'objects'),
    },
    close: () => rmSync(folder, { recursive: true, force: true }),
  }
}

/** Makes git use this folder as the working tree, and this file as the index. */
export const repositoryEnv = (start: Start, folder: string, index: string): Record<string, string> => ({
  GIT_DIR: start.dirs.own,
  GIT_WORK_TREE: folder,
  GIT_INDEX_FILE: index,
})

/**
 * Writes a tree object with an index of its own, so the user's index does not change. Content is read as `git add` reads
 * it. The index stays, so that files can be checked out of it.
 */
export async function writeTree(
  start: Start,
  env: Record<string, string>,
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
