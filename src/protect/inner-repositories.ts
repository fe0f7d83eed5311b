import { existsSync, lstatSync, readdirSync, realpathSync, statSync } from 'node:fs'
import { dirname, isAbsolute, join, relative, resolve } from 'node:path'
import { bytesAt, LIMITS, textAt } from '../store/files/read.ts'
import type { InnerRepository } from './tame-repository.ts'

/** The work tree and the folders that git has for it. */
export type WorkTree = { root: string; dirs: { own: string; common: string } }

/** The output of `git ls-files --stage -z` for a work tree and its folder of git; null if git fails. */
export type ListIndex = (workTree: string, gitDir: string) => Promise<string | null>

/** Submodules within submodules. */
const MAX_DEPTH = 5

/** The mode of an entry that stands for a repository, as the index stores it: 160000 in octal. */
const LINK_MODE = Buffer.from([0x00, 0x00, 0xe0, 0x00])

/**
 * Finds the repositories that the index of a work tree names: git enters those, and does in each what its configuration
 * says. Git is started only if the index has changed and seems to name one.
 */
export function innerRepositories(
  { root, dirs }: WorkTree,
  listIndex: ListIndex,
): () => Promise<InnerRepository[]> {
  const known = new Map<string, { stat: string; links: string[] }>()

  async function linksOf(workTree: string, gitDir: string): Promise<string[]> {
    const index = join(gitDir, 'index')
    const stat = stampOf(index)
    const last = known.get(index)
    if (last?.stat === stat) return last.links
    const links = mayHaveLinks(gitDir, index) ? linksIn((await listIndex(workTree, gitDir)) ?? '') : []
    known.set(index, { stat, links })
    return links
  }

  async function within(workTree: string, gitDir: string, depth: number): Promise<InnerRepository[]> {
    if (depth > MAX_DEPTH) return []
    const found: InnerRepository[] = []
    for (const link of await linksOf(workTree, gitDir)) {
      const inner = resolveInner(join(workTree, link, '.git'))
      if (inner === null) continue
      const isOutside = ![root, dirs.own, dirs.common].some(folder => isWithin(folder, inner))
      found.push({ gitDir: inner, pointer: join(workTree, link, '.git'), isOutside })
      if (!isOutside) found.push(...(await within(join(workTree, link), inner, depth + 1)))
    }
    return found
  }

  return () => within(root, dirs.own, 1)
}

/** Goes by the bytes: a match may be chance, but without one there is none. */
const mayHaveLinks = (gitDir: string, index: string): boolean =>
  bytesAt(index, { limit: LIMITS.own })?.includes(LINK_MODE) === true ||
  // Part of the index may be in a second file.
  (existsSync(gitDir) && readdirSync(gitDir).some(name => name.startsWith('sharedindex.')))

const linksIn = (list: string): string[] =>
  list
    .split('\0')
    .filter(line => line.startsWith('160000 '))
    .map(line => line.slice(line.indexOf('\t') + 1))

/** The real folder of git for a repository, by its `.git`: a folder, a link to one, or a file that names one. */
function resolveInner(pointer: string): string | null {
  try {
    const isFile = lstatSync(pointer).isFile()
    const target = isFile
      ? /^gitdir: (.+?)\n*$/s.exec(textAt(pointer, { limit: LIMITS.small }) ?? '')?.[1]
      : '.git'
    if (target === undefined) return null
    const folder = realpathSync(resolve(dirname(pointer), target))
    return statSync(folder).isDirectory() ? folder : null
  } catch {
    return null
  }
}

const isWithin = (folder: string, path: string): boolean => {
  const way = relative(folder, path)
  return way !== '..' && !way.startsWith('../') && !isAbsolute(way)
}

function stampOf(path: string): string {
  const stat = statSync(path, { throwIfNoEntry: false })
  return stat ? [stat.ino, stat.size, stat.mtimeMs, stat.ctimeMs].join(' ') : 'absent'
}
