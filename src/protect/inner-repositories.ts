import { existsSync, lstatSync, readdirSync, realpathSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { isWithin } from '../store/files/paths.ts'
import { type PinnedFolder, pinFolder } from '../store/files/pinned.ts'
import { bytesAt, LIMITS, textAt } from '../store/files/read.ts'
import { readArea, repositoryArea } from './area.ts'
import { isHarmlessInNew } from './config-keys.ts'
import { type ConfigTool, readConfigEntries } from './git-config.ts'
import { putBack } from './put-back.ts'
import type { SetAside } from './set-aside.ts'
import { type Kept, readAreas } from './snapshot.ts'
import type { Violations } from './violations.ts'

/** The work tree and the folders that git has for it. */
export type WorkTree = { root: string; dirs: { own: string; common: string } }

/** The output of `git ls-files --stage -z` for a work tree and its folder of git. Null if git fails. */
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

function stampOf(path: string): string {
  const stat = statSync(path, { throwIfNoEntry: false })
  return stat ? [stat.ino, stat.size, stat.mtimeMs, stat.ctimeMs].join(' ') : 'absent'
}

/** A repository within the work tree that git visits when it looks at the outer one. */
export type InnerRepository = {
  /** The folder of git itself: `sub/.git`, or where the file `sub/.git` leads. */
  gitDir: string
  /** `sub/.git`. */
  pointer: string
  /** Whether that folder lies outside the project and its repository. */
  isOutside: boolean
}

type TameOptions = {
  tool: ConfigTool
  aside: SetAside
  shown(path: string): string
  found: Violations
  /** The project. */
  root: string
}

/** Takes from a repository that is new in the work tree what git would run in it when it looks at the outer one. */
export async function tameRepository(repository: InnerRepository, options: TameOptions): Promise<void> {
  const { gitDir, pointer, isOutside } = repository
  if (isOutside) return remove(pinFolder(options.root), pointer, options)
  const pin = pinFolder(gitDir)
  const { files, closed } = readAreas([readArea(repositoryArea(gitDir))], {})
  if (closed.length > 0) return remove(pinFolder(options.root), pointer, options)
  for (const [file, kept] of Object.entries(files))
    if (file === join(gitDir, 'config')) await tameConfig(pin, file, kept, options)
    else if (!file.endsWith('.sample') && !isOfWorktree(gitDir, file)) remove(pin, file, options)
}

/** The folder of a linked work tree leads to the repository that it belongs to. */
const isOfWorktree = (gitDir: string, file: string): boolean =>
  file === join(gitDir, 'commondir') && /\/worktrees\/[^/]+$/.test(gitDir)

function remove(pin: PinnedFolder, file: string, { aside, shown, found }: TameOptions): void {
  const failure = putBack(pin, file, undefined, aside)
  if (failure === null) found.changed.push(shown(file))
  else found.failed.push(`${shown(file)} (${failure})`)
}

async function tameConfig(pin: PinnedFolder, file: string, kept: Kept, options: TameOptions): Promise<void> {
  const { tool, aside, shown, found } = options
  const text = Buffer.from(kept.data, 'base64').toString()
  const entries = kept.kind === 'file' ? await readConfigEntries(tool, text) : null
  if (!entries) return remove(pin, file, options)
  const keys = new Set(entries.filter(entry => !isHarmlessInNew(entry)).map(({ key }) => key))
  if (keys.size === 0) return
  const failure = putBack(pin, file, kept, aside)
  if (failure !== null) return void found.failed.push(`${shown(file)} (${failure})`)
  for (const key of keys) {
    await tool(['--file', file, '--unset-all', key])
    found.changed.push(`${shown(file)} ${key}`)
  }
}
