import { createHash } from 'node:crypto'
import { closeSync, existsSync, fstatSync, readlinkSync, readSync, realpathSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Env } from '../core/ports.ts'
import { openRegularFile } from '../store/files/read.ts'
import { attempt, git } from './git.ts'
import type { GitDirs } from './head.ts'
import {
  absentPaths,
  type Flag,
  type Hidden,
  noteDiffering,
  pathMatcher,
  readIndex,
  withoutHiding,
} from './hidden.ts'
import { pathKind } from './path-kind.ts'
import type { Start } from './start.ts'

/** A larger file is compared by size and time, because hashing it is too slow. */
export const HASHED_BYTES = 16 * 1024 * 1024

export type Status = {
  /** The repository's top folder. Paths are relative to it. */
  root: string
  /** The commit of HEAD. Null before the first one. */
  head: string | null
  /** The current branch. Null if HEAD is detached. */
  branch: string | null
  /** Every path that differs from HEAD or is new, without ignored ones and ralph's sessions. A rename gives both names. */
  paths: string[]
  /** Paths that git ignored when the run began, and that would be in `paths`. They are the user's. */
  ignoredBefore: string[]
  /** The paths that are marked assume-unchanged or skip-worktree. Ralph looks at them all the same. */
  flags: ReadonlyMap<string, Flag>
  /** Those, and the ones that the index may describe falsely. */
  hidden: Hidden[]
  dirs: GitDirs
  /** The output of `git status`. */
  text: string
}

/** What is known of the repository from the start of a run. */
export type KnownStart = Pick<Start, 'root' | 'dirs' | 'dirty' | 'ignored' | 'sparse' | 'at'>

type StatusOptions = {
  /** The start of the run. Absent if this is it. */
  start?: KnownStart
  /** List ignored paths too, in the text; a folder that is ignored as a whole is one path. */
  ignored?: boolean
}

/** The status of a project's repository. Null outside one, or without git. Passing the start saves a call. */
export async function readStatus(
  project: string,
  env: Env,
  { start, ignored = false }: StatusOptions = {},
): Promise<Status | null> {
  const found = start ?? (await repositoryAt(project, env))
  if (!found) return null
  const { root, dirs } = found
  const args = ['--porcelain=v2', '--branch', '-z', '--untracked-files=all']
  if (ignored) args.push('--ignored=matching')
  const where = ['--', ':(top)', ':(top,exclude,glob)**/.ralph/sessions/**']
  const ask = (own: Env) => git(project, own, ['status', ...args, ...where])
  const place = { root, gitDir: dirs.own, env, since: start?.at }
  const reading = readIndex(place)
  // Hardly any repository hides something, so do not wait for the answer.
  const early = reading instanceof Promise ? ask(env) : null
  const index = await reading
  if (!index) return null
  const { flags } = index
  const flagged = hiddenIn(root, flags, start).filter(([path]) => !index.differing.has(path))
  const hidden: Hidden[] = [...flagged, ...index.differing]
  const text =
    hidden.length > 0 ? await withoutHiding(place, hidden, ask).catch(() => null) : await (early ?? ask(env))
  if (text === null) return null
  const header = (name: string) =>
    text
      .split('\0')
      .find(l => l.startsWith(`# ${name} `))
      ?.slice(name.length + 3)
  const oid = header('branch.oid')
  const branch = header('branch.head')
  const isIgnored = ignoredAtStart(start)
  const paths = pathsInStatus(text)
  if (index.differing.size > 0) noteDiffering(place, paths)
  return {
    root,
    head: oid === undefined || oid === '(initial)' ? null : oid,
    branch: branch === undefined || branch === '(detached)' ? null : branch,
    paths: paths.filter(path => !isIgnored(path)),
    ignoredBefore: paths.filter(isIgnored),
    flags,
    hidden,
    dirs,
    text,
  }
}

/** The flags that hide something: not those of paths that a sparse checkout left out from the start. */
function hiddenIn(
  root: string,
  flags: ReadonlyMap<string, Flag>,
  start: KnownStart | undefined,
): [string, Flag][] {
  if (flags.size === 0) return []
  const wasAbsent = start ? pathMatcher(start.sparse) : () => true
  const sparse = new Set(absentPaths(root, flags).filter(wasAbsent))
  return [...flags].filter(([path]) => !sparse.has(path))
}

/** Whether git ignored a path when the run began. What it listed as changed then is in the run's other list. */
export function ignoredAtStart(start?: Pick<Start, 'dirty' | 'ignored'>): (path: string) => boolean {
  const isListed = pathMatcher(start?.ignored)
  return path => isListed(path) && !Object.hasOwn(start?.dirty ?? {}, path)
}

/** The repository that a folder is in. Null outside one, or without git. */
export async function repositoryAt(
  project: string,
  env: Env,
): Promise<{ root: string; dirs: GitDirs } | null> {
  if (!mayBeTracked(project, env)) return null
  const args = ['rev-parse', '--path-format=absolute', '--show-toplevel', '--git-dir', '--git-common-dir']
  const [root, own, common] = (await git(project, env, args))?.split('\n') ?? []
  return root && own && common ? { root, dirs: { own, common } } : null
}

/** Why git does not read the repository that a project is in, in its own words. Null if it is in none. */
export const whyUnreadable = async (project: string, env: Env): Promise<string | null> =>
  mayBeTracked(project, env) ? await attempt(project, env, ['status', '--porcelain']) : null

/** Looking for `.git` at or above the folder is faster than starting git to get the same answer. */
function mayBeTracked(folder: string, env: Env): boolean {
  if (env.GIT_DIR !== undefined) return true
  for (let path = realpathSync(folder); ; path = dirname(path)) {
    if (existsSync(join(path, '.git'))) return true
    if (path === dirname(path) || looksBare(path)) return false
  }
}

/** Git before 2.38 would take such a folder for a repository, whatever ralph says. */
const looksBare = (folder: string): boolean =>
  ['HEAD', 'objects', 'refs'].every(name => existsSync(join(folder, name)))

/** The paths in the output of `git status --porcelain=v2`. */
export function pathsInStatus(status: string): string[] {
  const entries = status.split('\0')
  const paths: string[] = []
  for (let i = 0; i < entries.length; i++) {
    const entry = entries[i]!
    const fields = { '1': 8, '2': 9, u: 10, '?': 1 }[entry[0] ?? '']
    if (fields === undefined) continue
    paths.push(entry.split(' ').slice(fields).join(' '))
    // A rename is followed by its old path.
    if (entry[0] === '2') paths.push(entries[++i]!)
  }
  return paths
}

/** The ignored paths in the same output. */
export const ignoredPaths = (status: string): string[] =>
  status.split('\0').flatMap(entry => (entry.startsWith('! ') ? [entry.slice(2)] : []))

/** What is in the index and not in HEAD, from the same output. A removed path has mode 0. */
export function stagedEntries(status: string): Record<string, { mode: string; object: string }> {
  // As entries: assigning to `__proto__`, which may be the name of a file, would add nothing to an object.
  const staged: [path: string, { mode: string; object: string }][] = []
  const entries = status.split('\0')
  for (let i = 0; i < entries.length; i++) {
    const [kind, xy = '.', , , mode = '', , , object = '', ...rest] = entries[i]!.split(' ')
    if (kind !== '1' && kind !== '2') continue
    const path = rest.slice(kind === '1' ? 0 : 1).join(' ')
    if (xy[0] !== '.') staged.push([path, { mode: xy[0] === 'D' ? '0' : mode, object }])
    if (kind === '2' && xy[0] === 'R') staged.push([entries[++i]!, { mode: '0', object }])
    else if (kind === '2') i++
  }
  return Object.fromEntries(staged)
}

/** A short text for the content of a path; the same text means the same content. Nothing is there behind a link. */
export function contentOf(root: string, path: string): string {
  const file = join(root, path)
  const kind = pathKind(root, path)
  if (kind === 'nothing') return 'absent'
  if (kind === 'link') return linkOf(file)
  // Opening a pipe would wait until somebody writes to it.
  if (kind !== 'file') return 'special'
  let fd: number
  try {
    fd = openRegularFile(file, true)
  } catch {
    return 'unreadable'
  }
  try {
    const { size, mtimeMs } = fstatSync(fd)
    if (size > HASHED_BYTES) return `${size} ${mtimeMs}`
    const hash = createHash('sha1')
    const chunk = Buffer.allocUnsafe(Math.min(size, 65_536) + 1)
    let read = 0
    // It may grow meanwhile; what it has then is compared again later.
    for (let n = readSync(fd, chunk); n > 0 && read <= HASHED_BYTES; n = readSync(fd, chunk)) {
      hash.update(chunk.subarray(0, n))
      read += n
    }
    return hash.digest('hex')
  } catch {
    return 'unreadable' // It was removed meanwhile.
  } finally {
    closeSync(fd)
  }
}

function linkOf(file: string): string {
  try {
    return `link ${readlinkSync(file)}`
  } catch {
    return 'absent'
  }
}
