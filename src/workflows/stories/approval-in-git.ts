import { copyFileSync, rmSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import type { TaskId } from '../../core/task.ts'
import { git } from '../../git/git.ts'
import type { Start } from '../../git/start.ts'
import { textAt } from '../../store/files/put-file.ts'
import { storyClaims } from './rules/review.ts'
import { parse } from './story-file-sync.ts'

export type Kept = {
  start: Pick<Start, 'root' | 'dirs'>
  env: Record<string, string>
  /** The story file, and where it leads to if it is a link. */
  paths: string[]
  /** A folder of ralph's own, for a copy of the index. */
  scratch: string
}

/**
 * Where git keeps a story file that approves this story: a checkout, a stash or a reset would bring it back, and it
 * would pass for the verdict of whoever does so. null: nowhere.
 */
export async function keptApproval(kept: Unsure, story: TaskId): Promise<Place | null> {
  const { start } = kept
  const place = start && (await placeIn({ ...kept, start }, story))
  const later = await laterRepository(kept)
  return place ?? (later && placeIn(later, story))
}

/** A run may begin outside of any repository. */
type Unsure = Omit<Kept, 'start'> & { start: Kept['start'] | null }

type Place = 'HEAD' | 'the index'

async function placeIn(kept: Kept, story: TaskId): Promise<Place | null> {
  if (await isApprovedIn(kept, 'HEAD', story)) return 'HEAD'
  const staged = await treeOfIndex(kept)
  for (const tree of staged ? [staged] : SIDES) if (await isApprovedIn(kept, tree, story)) return 'the index'
  return null
}

/** One that was put around the stories since the run began: whoever works there checks out from it. */
async function laterRepository(kept: Unsure): Promise<Kept | null> {
  const { start, env, paths } = kept
  const ask = ['rev-parse', '--path-format=absolute', '--show-toplevel', '--git-dir']
  const [root, own] = (await git(dirname(paths[0]!), env, ask))?.split('\n') ?? []
  return root && own && root !== start?.root ? { ...kept, start: { root, dirs: { own, common: own } } } : null
}

/** Of a merge that is not done: `git checkout --ours` or `--theirs` writes one of them. */
const SIDES = [':2', ':3']

export async function isApprovedIn(kept: Kept, tree: string, story: TaskId): Promise<boolean> {
  for (const path of kept.paths) {
    const name = `${tree}:${relative(kept.start.root, path)}`
    if (approves(await textIn(kept, name), story) || approves(await convertedIn(kept, name), story))
      return true
  }
  return false
}

function approves(text: string | null, id: TaskId): boolean {
  const parsed = text === null ? null : parse(text)
  if (!parsed || !('file' in parsed)) return false
  const story = parsed.file.userStories.find(other => other.id === id)
  return storyClaims('review', undefined, story).verdict === 'approve'
}

/** The file as a checkout of this tree would write it: what is no story file in git may become one by its attributes. */
const convertedIn = ({ start, env }: Kept, name: string): Promise<string | null> =>
  git(start.root, env, ['cat-file', '--filters', name])

/** The file as this tree has it, links and all. */
async function textIn({ start, env }: Kept, name: string): Promise<string | null> {
  const answer = await git(start.root, env, ['cat-file', '--batch', '--follow-symlinks'], `${name}\n`)
  const [head = '', ...lines] = (answer ?? '').split('\n')
  if (/ blob \d+$/.test(head)) return lines.join('\n')
  // A link out of the tree is told by where it leads to, as seen from the tree's top.
  return head.startsWith('symlink ') ? textAt(resolve(start.root, lines[0] ?? '')) : null
}

/** Of a copy: git locks an index even for this. null where it holds a merge. */
async function treeOfIndex({ start, env, scratch }: Kept): Promise<string | null> {
  const copy = join(scratch, 'index')
  try {
    copyFileSync(join(start.dirs.own, 'index'), copy)
    return (await git(start.root, { ...env, GIT_INDEX_FILE: copy }, ['write-tree']))?.trim() ?? null
  } catch {
    return null
  } finally {
    rmSync(copy, { force: true })
  }
}
