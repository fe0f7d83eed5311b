import { lstatSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { type Context, createContext, Script } from 'node:vm'
import { CannotGoOn } from '../core/ports.ts'
import { quote } from '../core/visible.ts'
import { type Glob, readGlob } from './glob.ts'

/** `isMatched`: the glob matches it, or a folder above it. */
type Entry = { path: string; isFolder: boolean; isMatched: boolean }

export type FoundFiles = {
  files: string[]
  /** Folders that may hold more of them, but cannot be looked into. */
  closed: string[]
}

/**
 * Every file and link that a glob matches, without `node_modules` and `.git` folders unless the glob begins with one.
 * Links are not followed. A link above the glob's base folder is found too, because it decides which files the glob
 * would match.
 */
export function findFiles(root: string, glob: Glob, limitMs?: number): FoundFiles {
  const parts = glob.base === '' ? [] : glob.base.split('/')
  for (let depth = 1; depth <= parts.length; depth++) {
    const path = parts.slice(0, depth).join('/')
    const stat = statOf(join(root, path))
    if (stat === 'closed') return { files: [], closed: [parts.slice(0, depth - 1).join('/')] }
    if (!stat) return { files: [], closed: [] }
    if (!stat.isDirectory())
      return { files: stat.isSymbolicLink() || glob.matches(path) ? [path] : [], closed: [] }
  }
  const files: string[] = []
  const closed: string[] = []
  let folders: Entry[] = [{ path: glob.base, isFolder: true, isMatched: glob.matches(glob.base) }]
  while (folders.length > 0) {
    const entries = match(
      root,
      glob,
      folders.flatMap(folder => {
        const listed = list(root, folder)
        if (!listed) closed.push(folder.path)
        return listed ?? []
      }),
      limitMs,
    )
    for (const { path, isFolder, isMatched } of entries) if (isMatched && !isFolder) files.push(path)
    folders = entries.filter(({ isFolder }) => isFolder)
  }
  return { files, closed }
}

/** Matches one level of the tree at a time, because a time limit costs as much as matching some hundred names. */
function match(root: string, glob: Glob, entries: Entry[], limitMs?: number): Entry[] {
  if (entries.every(({ isMatched }) => isMatched)) return entries
  const act = () =>
    entries
      .map(entry => ({ ...entry, isMatched: entry.isMatched || glob.matches(entry.path) }))
      .filter(({ path, isFolder, isMatched }) => isMatched || (isFolder && glob.mayHold(path)))
  const matched = glob.canBacktrack ? withTimeLimit(act, limitMs) : act()
  if (matched) return matched
  throw new CannotGoOn(
    `the pattern ${quote(glob.pattern)} in "protect" takes too long to match the files in ${root}; make it simpler`,
  )
}

/** The entries of a folder. Null if it cannot be looked into. */
function list(root: string, folder: Entry): Entry[] | null {
  try {
    return readdirSync(join(root, folder.path), { withFileTypes: true })
      .map(entry => ({ name: entry.name, isFolder: entry.isDirectory() }))
      .filter(({ name, isFolder }) => !isFolder || (name !== 'node_modules' && name !== '.git'))
      .map(({ name, isFolder }) => ({
        path: folder.path === '' ? name : `${folder.path}/${name}`,
        isFolder,
        isMatched: folder.isMatched,
      }))
  } catch (error) {
    return isMissing(error) ? [] : null
  }
}

function statOf(path: string) {
  try {
    return lstatSync(path, { throwIfNoEntry: false })
  } catch (error) {
    return isMissing(error) ? undefined : 'closed'
  }
}

/** Nothing is there, as opposed to something that ralph may not look at. */
export const isMissing = (error: unknown): boolean =>
  ['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')

export type Survey = {
  /** Patterns that match no file. */
  unmatched: string[]
  /** How many files the others match. */
  files: number
  /** A folder that may hold more of them, but cannot be looked into. Null if there is none. */
  closed: string | null
}

/** Which files the patterns match in a folder now. Throws CannotGoOn if that takes too long. */
export function surveyPatterns(root: string, patterns: readonly string[]): Survey {
  const files = new Set<string>()
  const unmatched: string[] = []
  let closed: string | null = null
  for (const pattern of patterns) {
    const found = findFiles(root, readGlob(pattern))
    if (found.files.length === 0) unmatched.push(pattern)
    for (const file of found.files) files.add(file)
    closed ??= found.closed[0] ?? null
  }
  return { unmatched, files: files.size, closed }
}

/** A hundred times what matching all names of a large tree takes. */
const LIMIT_MS = 5000

const script = new Script('act()')
let context: Context | null = null

/** The result of an action, or null if it takes too long: some patterns would backtrack for years. */
function withTimeLimit<T extends object>(act: () => T, limitMs = LIMIT_MS): T | null {
  context ??= createContext({})
  context.act = act
  try {
    return script.runInContext(context, { timeout: limitMs })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') return null
    throw error
  } finally {
    context.act = null
  }
}
