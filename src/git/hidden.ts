import { createHash } from 'node:crypto'
import { copyFileSync, lstatSync, mkdtempSync, readlinkSync, rmSync, statSync, utimesSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { Env } from '../core/ports.ts'
import { bytesAt, LIMITS } from '../store/files/read.ts'
import { git, mustGit } from './git.ts'
import { pathKind } from './path-kind.ts'
import type { Start } from './start.ts'

/**
 * The mark by which git does not look at a file, as `git ls-files -v` shows it: `h` for assume-unchanged, `S` for
 * skip-worktree, `s` for both. Ralph looks at these files all the same.
 */
export type Flag = 'h' | 'S' | 's'

/**
 * What the index holds for a file that changed since the run began: mode and object, and what the file was like when git
 * read it. If the file is still like that, git takes it for unchanged. But an agent can put any object beside it.
 */
type IndexEntry = { entry: string; stat: string }

/** A path that git may not look at, and why. */
export type Hidden = readonly [path: string, by: Flag | IndexEntry]

/** The index of a repository. What it says of files that changed after `since` is compared with the files. */
type IndexPlace = { root: string; gitDir: string; env: Env; since?: number | undefined }

/** What ralph knows of an index. */
type IndexState = {
  signature: string
  flags: Map<string, Flag>
  /** Content differs from the index; a git filter may be the reason. */
  differing: Map<string, IndexEntry>
  /** Content is what the index says. */
  matching: Map<string, IndexEntry>
}

/** By the path of the index. Git is asked again only after it changed. */
const indexStates = new Map<string, IndexState>()

/** What a repository's index hides, at once if it has not changed. Returns null if git does not answer. */
export function readIndex(place: IndexPlace): IndexState | Promise<IndexState | null> {
  const index = indexOf(place.gitDir, place.env)
  const signature = signatureOf(index)
  const known = indexStates.get(index)
  return known?.signature === signature ? known : askForIndex(place, index, signature)
}

/**
 * Letter, mode, object, stage, path, and what the index knows of the file, beginning with the second of its last change.
 */
const ENTRY = /(.) (\d+) ([0-9a-f]+) (\d)\t([^\0]*)\0( {2}ctime: (\d+).*\n(?: .*\n)*)/gy

async function askForIndex(
  { root, env, since = Number.POSITIVE_INFINITY }: IndexPlace,
  index: string,
  signature: string,
): Promise<IndexState | null> {
  const text = await git(root, env, ['ls-files', '-v', '--stage', '--debug', '-z'])
  if (text === null) return null
  const flags = new Map<string, Flag>()
  const differing = new Map<string, IndexEntry>()
  const matching = new Map<string, IndexEntry>()
  const before = indexStates.get(index)?.matching
  const sinceSecond = Math.floor(since / 1000) - 1
  let end = 0
  for (const match of text.matchAll(ENTRY)) {
    end = match.index + match[0].length
    const [, letter = '', mode, object = '', stage, path = '', stat = '', second] = match
    const flag = flagOf(letter)
    if (flag) flags.set(path, flag)
    if (stage !== '0' || mode === LINKED_REPOSITORY || Number(second) < sinceSecond) continue
    const now = { entry: `${mode} ${object}`, stat }
    const known = before?.get(path)
    const didMatch = known?.entry === now.entry && known.stat === stat
    const matches = didMatch || matchesObject(root, path, object, Number(second))
    ;(matches ? matching : differing).set(path, now)
  }
  if (end < text.length) return null
  const state = { signature, flags, differing, matching }
  indexStates.set(index, state)
  return state
}

/** Git has compared all that differed, with the filters that the repository has: only these paths really differ. */
export function noteDiffering({ gitDir, env }: IndexPlace, changed: readonly string[]): void {
  const state = indexStates.get(indexOf(gitDir, env))
  const isChanged = new Set(changed)
  for (const [path, now] of state?.differing ?? []) {
    if (isChanged.has(path)) continue
    state!.matching.set(path, now)
    state!.differing.delete(path)
  }
}

const LINKED_REPOSITORY = '160000'

/** Whether a file is the object that the index names, or git will see by its time that it must compare them. */
function matchesObject(root: string, path: string, object: string, second: number): boolean {
  const kind = pathKind(root, path)
  const file = join(root, path)
  if (kind !== 'file' && kind !== 'link') return true
  if (Math.floor(lstatSync(file).ctimeMs / 1000) !== second) return true
  const content = kind === 'link' ? Buffer.from(readlinkSync(file)) : bytesAt(file, { limit: LIMITS.text })
  if (!content) return false
  const hash = createHash(object.length === 64 ? 'sha256' : 'sha1').update(`blob ${content.length}\0`)
  return hash.update(content).digest('hex') === object
}

/** Every lower-case letter stands for assume-unchanged too. */
function flagOf(letter: string): Flag | null {
  if (letter === 'S' || letter === 's') return letter
  return letter >= 'a' && letter <= 'z' ? 'h' : null
}

const indexOf = (gitDir: string, env: Env): string => env.GIT_INDEX_FILE ?? join(gitDir, 'index')

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

/** Acts with the environment of an index that hides none of these paths. The user's index does not change. */
export async function withoutHiding<T>(
  { root, gitDir, env }: IndexPlace,
  hidden: readonly Hidden[],
  act: (env: Env) => Promise<T>,
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
    await unhide(root, own, hidden)
    return await act(own)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Gives the index the flags that it had when a run began, if that is known. */
export async function restoreFlags(
  { root, dirs, flagged, sparse }: Pick<Start, 'root' | 'dirs' | 'flagged' | 'sparse'>,
  env: Env,
): Promise<void> {
  if (!flagged) return
  const now = (await readIndex({ root, gitDir: dirs.own, env }))?.flags ?? new Map<string, Flag>()
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

/** Lets git look at these paths: without flags, and without what the index knows of the file. */
export async function unhide(root: string, env: Env, hidden: readonly Hidden[]): Promise<void> {
  const flags: [string, Flag][] = []
  const lines: string[] = []
  for (const [path, by] of hidden)
    if (typeof by === 'string') flags.push([path, by])
    else lines.push(`${by.entry}\t${path}\0`)
  await clearFlags(root, env, flags)
  if (lines.length > 0)
    await mustGit(root, env, [...WHOLE_INDEX, 'update-index', '-z', '--index-info'], lines.join(''))
}

/** An index in two files would lead to one of the repository's. */
const WHOLE_INDEX = ['-c', 'core.splitIndex=false']

const clearFlags = (root: string, env: Env, flags: readonly (readonly [string, Flag])[]): Promise<void> =>
  changeFlags(root, env, flags, 'no-')

const setFlags = (root: string, env: Env, flags: readonly (readonly [string, Flag])[]): Promise<void> =>
  changeFlags(root, env, flags, '')

async function changeFlags(
  root: string,
  env: Env,
  flags: readonly (readonly [string, Flag])[],
  no: 'no-' | '',
): Promise<void> {
  const change = async (name: string, letters: string) => {
    const paths = flags.filter(([, flag]) => letters.includes(flag)).map(([path]) => path)
    if (paths.length === 0) return
    const args = [...WHOLE_INDEX, 'update-index', `--${no}${name}`, '-z', '--stdin']
    await mustGit(root, env, args, paths.join('\0'))
  }
  await change('assume-unchanged', 'hs')
  await change('skip-worktree', 'Ss')
}
