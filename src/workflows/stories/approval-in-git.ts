import { rmSync, writeFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import type { TaskId } from '../../core/task.ts'
import { git } from '../../git/git.ts'
import type { Start } from '../../git/start.ts'
import { LIMITS, readRegularFile, textAt } from '../../store/files/read.ts'
import { storyClaims } from './rules/review.ts'
import { parseStories } from './story-file-reader.ts'

export type ApprovalSearch = {
  start: Pick<Start, 'root' | 'dirs'>
  env: Record<string, string>
  /** The story file, and its target if it is a link. */
  paths: string[]
  /** A private folder of ralph, for a copy of the index. */
  scratch: string
}

/**
 * Finds where git has a story file that approves this story. A checkout, a stash or a reset would bring that file back,
 * and it would look like the verdict of the running review. Returns null if there is none.
 */
export async function findApprovalInGit(
  search: OptionalRepository,
  story: TaskId,
): Promise<GitLocation | null> {
  const { start } = search
  const location = start && (await locationIn({ ...search, start }, story))
  const later = await laterRepository(search)
  return location ?? (later && locationIn(later, story))
}

/** A run may begin outside a repository. */
type OptionalRepository = Omit<ApprovalSearch, 'start'> & { start: ApprovalSearch['start'] | null }

type GitLocation = 'HEAD' | 'the index'

async function locationIn(search: ApprovalSearch, story: TaskId): Promise<GitLocation | null> {
  if (await isApprovedIn(search, 'HEAD', story)) return 'HEAD'
  const staged = await treeOfIndex(search)
  for (const tree of staged ? [staged] : CONFLICT_SIDES)
    if (await isApprovedIn(search, tree, story)) return 'the index'
  return null
}

/** A repository that was created around the stories after the run began: a checkout would use it. */
async function laterRepository(search: OptionalRepository): Promise<ApprovalSearch | null> {
  const { start, env, paths } = search
  const ask = ['rev-parse', '--path-format=absolute', '--show-toplevel', '--git-dir']
  const [root, own] = (await git(dirname(paths[0]!), env, ask))?.split('\n') ?? []
  return root && own && root !== start?.root
    ? { ...search, start: { root, dirs: { own, common: own } } }
    : null
}

/** Both sides of an unfinished merge: `git checkout --ours` or `--theirs` writes one of them. */
const CONFLICT_SIDES = [':2', ':3']

export async function isApprovedIn(search: ApprovalSearch, tree: string, story: TaskId): Promise<boolean> {
  for (const path of search.paths) {
    const name = `${tree}:${relative(search.start.root, path)}`
    if (approves(await textIn(search, name), story) || approves(await convertedIn(search, name), story))
      return true
  }
  return false
}

function approves(text: string | null, id: TaskId): boolean {
  const parsed = text === null ? null : parseStories(text)
  if (!parsed || !('file' in parsed)) return false
  const story = parsed.file.userStories.find(other => other.id === id)
  return storyClaims('review', undefined, story).verdict === 'approve'
}

/** The file as a checkout would write it: git's filters may turn other content into a story file. */
const convertedIn = ({ start, env }: ApprovalSearch, name: string): Promise<string | null> =>
  git(start.root, env, ['cat-file', '--filters', name])

/** The file in this tree, with links followed. */
async function textIn({ start, env }: ApprovalSearch, name: string): Promise<string | null> {
  const answer = await git(start.root, env, ['cat-file', '--batch', '--follow-symlinks'], `${name}\n`)
  const [head = '', ...lines] = (answer ?? '').split('\n')
  if (/ blob \d+$/.test(head)) return lines.join('\n')
  // For a link out of the tree, git prints the target, relative to the top of the tree.
  return head.startsWith('symlink ')
    ? textAt(resolve(start.root, lines[0] ?? ''), { limit: LIMITS.text })
    : null
}

/** Writes the index as a tree. Uses a copy, because git locks the index even for this. Returns null during a merge. */
async function treeOfIndex({ start, env, scratch }: ApprovalSearch): Promise<string | null> {
  const copy = join(scratch, 'index')
  try {
    writeFileSync(copy, readRegularFile(join(start.dirs.own, 'index'), { limit: LIMITS.own }))
    return (await git(start.root, { ...env, GIT_INDEX_FILE: copy }, ['write-tree']))?.trim() ?? null
  } catch {
    return null
  } finally {
    rmSync(copy, { force: true })
  }
}
