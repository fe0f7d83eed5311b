import type { Env } from '../core/ports.ts'
import type { Hidden } from './hidden.ts'
import { pathKind } from './path-kind.ts'
import type { Start } from './start.ts'
import { contentOf, readStatus, type Status, stagedEntries } from './status.ts'

export type Changes = {
  head: string | null
  /** Changed only by the run: these may be committed. */
  ours: string[]
  /** Dirty at the start and changed again. Nobody can separate the user's changes from the run's, so they are not committed. */
  mixed: string[]
  /** New repositories in the work tree. Committing one would make git enter it, and obey its configuration. */
  repositories: string[]
  /** Ignored by git when the run began: the user's, and never committed. */
  ignored: string[]
  /** Taken out of git during the run and ignored, but still there: nobody can commit them as they were checked. */
  unlisted: string[]
  /** Submodules with changes of their own: these can be committed only inside them. */
  submodules: string[]
  /** Their names are not UTF-8, so ralph cannot name them to git. */
  unnameable: string[]
  /** Neither files nor links, a pipe for example, in the place of what git knows. */
  special: string[]
  /** They were marked assume-unchanged or skip-worktree before the run, so they are the user's too. */
  flagged: string[]
  /** Of ours, those that were hidden from git during the run. */
  hidden: Hidden[]
}

/** What the run changed and nobody has committed yet. */
export async function changesSince(start: Start, env: Env): Promise<Changes | null> {
  const status = await readStatus(start.root, env, { start })
  if (!status) return null
  const ours: string[] = []
  const mixed: string[] = []
  const repositories: string[] = []
  const unlisted: string[] = []
  const unnameable: string[] = []
  const special: string[] = []
  const flagged: string[] = []
  const submodules = changedInside(status)
  const isUnlisted = unlistedIn(status)
  for (const path of status.paths) {
    const before = Object.hasOwn(start.dirty, path) ? start.dirty[path] : undefined
    if (before !== undefined) {
      if (before !== contentOf(start.root, path)) mixed.push(path)
    } else if (Object.hasOwn(start.flagged, path)) flagged.push(path)
    else if (isUnlisted(path)) unlisted.push(path)
    else if (path.includes('\ufffd')) unnameable.push(path)
    else if (pathKind(start.root, path) === 'special') special.push(path)
    else if (submodules.get(path) === 'only inside') continue
    // Only a new repository is shown as a folder; of others, git shows the files.
    else (path.endsWith('/') ? repositories : ours).push(path)
  }
  const committed = new Set(ours)
  const hidden = status.hidden.filter(([path]) => committed.has(path))
  const { head, ignoredBefore: ignored } = status
  return {
    head,
    ours,
    mixed,
    repositories,
    ignored,
    unlisted,
    submodules: [...submodules.keys()].filter(path => !Object.hasOwn(start.dirty, path)),
    unnameable,
    special,
    flagged,
    hidden,
  }
}

/** Git shows such a path as removed from the index, and does not show it as new. */
function unlistedIn({ root, text }: Status): (path: string) => boolean {
  const staged = new Map(Object.entries(stagedEntries(text)))
  const added = new Set(text.split('\0').flatMap(line => (line.startsWith('? ') ? [line.slice(2)] : [])))
  return path =>
    staged.get(path)?.mode === '0' && !added.has(path) && ['file', 'link'].includes(pathKind(root, path))
}

/** The submodules whose files changed, and whether their commit is the same as before. */
function changedInside({ text }: Status): Map<string, 'only inside' | 'both'> {
  const found = new Map<string, 'only inside' | 'both'>()
  for (const line of text.split('\0')) {
    const [, commit, inside, path] = /^1 .. S(.)(\S\S) (?:\S+ ){5}(.+)$/s.exec(line) ?? []
    if (path !== undefined && inside !== '..') found.set(path, commit === 'C' ? 'both' : 'only inside')
  }
  return found
}
