import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { UsageError } from '../core/usage-error.ts'
import { git, mustGit } from './git.ts'
import { standsAt } from './stands.ts'
import type { Start } from './start.ts'

/** Where to find what some paths hold: a folder that has them all, each at its own place. */
type Source = { folder: string; paths: string[] }

/** A commit, and what stands in place of it at some paths. */
export type Composition = { base: string | null; from: Source[]; without: string[] }

/** A place for trees that the repository shall not know of. */
export type Scratch = { folder: string; env: Record<string, string>; close(): void }

/** In the run's own folder: what a crash leaves of it goes with the run. */
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

/** Has git take a folder for the repository's files, and a file for its index. */
export const onFiles = (start: Start, folder: string, index: string): Record<string, string> => ({
  GIT_DIR: start.dirs.own,
  GIT_WORK_TREE: folder,
  GIT_INDEX_FILE: index,
})

/**
 * Writes what a composition amounts to as a tree, by way of an index of its own: the user's is not touched.
 * Content is taken in as `git add` would take it. The index stays, for whoever wants to check files out of it.
 */
export async function writeTree(
  start: Start,
  env: Record<string, string>,
  index: string,
  { base, from, without }: Composition,
): Promise<string> {
  const run = (folder: string, args: string[], paths: string[] = []) =>
    mustGit(folder, { ...env, ...onFiles(start, folder, index) }, args, paths.join('\0'))
  if (base !== null && (await git(start.root, env, ['cat-file', '-e', `${base}^{commit}`])) === null)
    throw new UsageError(`commit ${base.slice(0, 10)} is not in ${start.root} any more`)
  await run(start.root, base === null ? ['read-tree', '--empty'] : ['read-tree', base])
  const gone = [...without]
  const there = from.map(({ folder, paths }) => ({
    folder,
    paths: paths.filter(path => {
      const stands = standsAt(folder, path)
      const isThere = stands === 'file' || stands === 'link' || stands === 'repository'
      if (!isThere) gone.push(path)
      return isThere
    }),
  }))
  if (gone.length > 0) await run(start.root, ['update-index', '-z', '--force-remove', '--stdin'], gone)
  for (const { folder, paths } of there)
    if (paths.length > 0) await run(folder, ['update-index', '-z', '--add', '--replace', '--stdin'], paths)
  return run(start.root, ['write-tree'])
}
