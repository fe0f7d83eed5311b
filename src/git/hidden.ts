import { copyFileSync, lstatSync, mkdtempSync, rmSync, statSync, utimesSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { git, mustGit } from './git.ts'
import { pathKind } from './path-kind.ts'
import type { Start } from './start.ts'

/**
 * How git was told not to look at a file, as `git ls-files -v` shows it: `h` for assume-unchanged, `S` for skip-worktree,
 * `s` for both. Ralph looks at these files all the same.
 */
export type Flag = 'h' | 'S' | 's'

type Looked = { signature: string; flags: ReadonlyMap<string, Flag> }

/** By the path of the index. The flags are in the index, so that git is asked again only after it changed. */
const looked = new Map<string, Looked>()

/** The flags of a repository's index, at once if it has not changed; null if git does not answer. */
export function readFlags(
  root: string,
  gitDir: string,
  env: Record<string, string>,
): ReadonlyMap<string, Flag> | Promise<ReadonlyMap<string, Flag> | null> {
  const index = indexOf(gitDir, env)
  const signature = signatureOf(index)
  const known = looked.get(index)
  return known?.signature === signature ? known.flags : askForFlags(root, env, index, signature)
}

async function askForFlags(
  root: string,
  env: Record<string, string>,
  index: string,
  signature: string,
): Promise<ReadonlyMap<string, Flag> | null> {
  const text = await git(root, env, ['ls-files', '-v', '-z'])
  if (text === null) return null
  const flags = new Map<string, Flag>()
  for (const line of text.split('\0')) {
    const flag = flagOf(line[0] ?? '')
    if (flag) flags.set(line.slice(2), flag)
  }
  looked.set(index, { signature, flags })
  return flags
}

/** Every lower-case letter stands for assume-unchanged too. */
function flagOf(letter: string): Flag | null {
  if (letter === 'S' || letter === 's') return letter
  return letter >= 'a' && letter <= 'z' ? 'h' : null
}

const indexOf = (gitDir: string, env: Record<string, string>): string =>
  env.GIT_INDEX_FILE ?? join(gitDir, 'index')

/** Git replaces the index by a new file; nobody can set the time of that change. */
function signatureOf(index: string): string {
  const found = statSync(index, { bigint: true, throwIfNoEntry: false })
  return found ? `${found.ino} ${found.size} ${found.ctimeNs}` : 'none'
}

/** The paths that were left out of a sparse checkout: git skips them, and they are not there. */
export const absentPaths = (root: string, flags: ReadonlyMap<string, Flag>): string[] =>
  [...flags]
    .filter(([path, flag]) => flag !== 'h' && pathKind(root, path) === 'nothing')
    .map(([path]) => path)

/** The same, shorter: a folder that is missing as a whole stands for all below it, and ends in a slash. */
export function topmost(root: string, absent: readonly string[]): string[] {
  const missing = new Map<string, boolean>()
  const isMissing = (folder: string): boolean => {
    const known = missing.get(folder)
    if (known !== undefined) return known
    const found = lstatSync(join(root, folder), { throwIfNoEntry: false }) === undefined
    missing.set(folder, found)
    return found
  }
  const tops = absent.map(path => {
    let top = path
    for (let above = dirname(path); above !== '.' && isMissing(above); above = dirname(above))
      top = `${above}/`
    return top
  })
  return [...new Set(tops)]
}

/** Whether a path is one of these, or below one that ends in a slash. */
export function pathMatcher(listed: readonly string[] = []): (path: string) => boolean {
  const paths = new Set(listed)
  return path => {
    if (paths.size === 0) return false
    if (paths.has(path)) return true
    for (let above = dirname(path); above !== '.'; above = dirname(above))
      if (paths.has(`${above}/`)) return true
    return false
  }
}

/** Acts with the environment of an index in which these paths have no flag. The user's index does not change. */
export async function withoutFlags<T>(
  { root, gitDir, env }: { root: string; gitDir: string; env: Record<string, string> },
  flags: readonly (readonly [string, Flag])[],
  act: (env: Record<string, string>) => Promise<T>,
): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'ralph-index-'))
  try {
    const copy = join(folder, 'index')
    const index = indexOf(gitDir, env)
    copyFileSync(index, copy)
    // Git takes a file that is as new as its index for a changed one. The copy must not look newer than the original.
    const seconds = Math.floor(statSync(index).mtimeMs / 1000)
    utimesSync(copy, seconds, seconds)
    const own = { ...env, GIT_INDEX_FILE: copy }
    await clearFlags(root, own, flags)
    return await act(own)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Gives the index the flags that it had when a run began, if that is known. */
export async function restoreFlags(
  { root, dirs, flagged, sparse }: Pick<Start, 'root' | 'dirs' | 'flagged' | 'sparse'>,
  env: Record<string, string>,
): Promise<void> {
  if (!flagged) return
  const now = (await readFlags(root, dirs.own, env)) ?? new Map<string, Flag>()
  const isSparse = pathMatcher(sparse)
  const wanted = new Map(Object.entries(flagged))
  if (sparse?.length)
    for (const path of ((await git(root, env, ['ls-files', '-z'])) ?? '').split('\0'))
      if (isSparse(path) && pathKind(root, path) === 'nothing') wanted.set(path, now.get(path) ?? 'S')
  await clearFlags(
    root,
    env,
    [...now].filter(([path, flag]) => wanted.get(path) !== flag),
  )
  await setFlags(
    root,
    env,
    [...wanted].filter(([path, flag]) => now.get(path) !== flag),
  )
}

/** Removes the flags of these paths from the index. */
export const clearFlags = (
  root: string,
  env: Record<string, string>,
  flags: readonly (readonly [string, Flag])[],
): Promise<void> => changeFlags(root, env, flags, 'no-')

const setFlags = (
  root: string,
  env: Record<string, string>,
  flags: readonly (readonly [string, Flag])[],
): Promise<void> => changeFlags(root, env, flags, '')

async function changeFlags(
  root: string,
  env: Record<string, string>,
  flags: readonly (readonly [string, Flag])[],
  no: 'no-' | '',
): Promise<void> {
  const change = async (name: string, letters: string) => {
    const paths = flags.filter(([, flag]) => letters.includes(flag)).map(([path]) => path)
    if (paths.length === 0) return
    const args = ['-c', 'core.splitIndex=false', 'update-index', `--${no}${name}`, '-z', '--stdin']
    await mustGit(root, env, args, paths.join('\0'))
  }
  await change('assume-unchanged', 'hs')
  await change('skip-worktree', 'Ss')
}
