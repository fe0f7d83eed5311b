import { lstatSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { CannotGoOn } from '../core/ports.ts'
import { quote } from '../core/quote.ts'
import { inTime } from './in-time.ts'
import type { Glob } from './match.ts'

/** `isMatched`: it is in a folder that the glob means. */
type Entry = { path: string; isFolder: boolean; isMatched: boolean }

/**
 * Every file and link that a glob means; not what package managers and git keep, unless it begins with their names.
 * A link is an entry like any other: what lies behind it is somebody else's. One in the way to where the glob begins is
 * found, too: whoever puts it there decides what is found behind it.
 */
export function findFiles(root: string, glob: Glob): string[] {
  const parts = glob.base === '' ? [] : glob.base.split('/')
  for (let depth = 1; depth <= parts.length; depth++) {
    const path = parts.slice(0, depth).join('/')
    const stands = lstatSync(join(root, path), { throwIfNoEntry: false })
    if (!stands) return []
    if (!stands.isDirectory()) return stands.isSymbolicLink() || glob.matches(path) ? [path] : []
  }
  const files: string[] = []
  let folders: Entry[] = [{ path: glob.base, isFolder: true, isMatched: glob.matches(glob.base) }]
  while (folders.length > 0) {
    const entries = judge(
      root,
      glob,
      folders.flatMap(folder => list(root, folder)),
    )
    for (const { path, isFolder, isMatched } of entries) if (isMatched && !isFolder) files.push(path)
    folders = entries.filter(({ isFolder }) => isFolder)
  }
  return files
}

/** One level of the tree at a time, because to bound the time costs as much as to match some hundred names. */
function judge(root: string, glob: Glob, entries: Entry[]): Entry[] {
  if (entries.every(({ isMatched }) => isMatched)) return entries
  const act = () =>
    entries
      .map(entry => ({ ...entry, isMatched: entry.isMatched || glob.matches(entry.path) }))
      .filter(({ path, isFolder, isMatched }) => isMatched || (isFolder && glob.mayHold(path)))
  const judged = glob.canBacktrack ? inTime(act) : act()
  if (judged) return judged
  throw new CannotGoOn(
    `the pattern ${quote(glob.pattern)} in "protect" takes too long to match the files in ${root}; make it simpler`,
  )
}

function list(root: string, folder: Entry): Entry[] {
  return readdirSync(join(root, folder.path), { withFileTypes: true })
    .map(entry => ({ name: entry.name, isFolder: entry.isDirectory() }))
    .filter(({ name, isFolder }) => !isFolder || (name !== 'node_modules' && name !== '.git'))
    .map(({ name, isFolder }) => ({
      path: folder.path === '' ? name : `${folder.path}/${name}`,
      isFolder,
      isMatched: folder.isMatched,
    }))
}
