import { attempt, git, mustGit } from '../git.ts'
import { type GitDirs, unfinishedOperation } from '../head.ts'
import { commitOf, isAncestor } from './worktree.ts'

/** How the work of a branch comes into another. */
export type MergeStyle = 'merge' | 'squash' | 'rebase'

/** A worktree whose branch is to be brought together with another. */
export type Side = { root: string; dirs: GitDirs; env: Record<string, string> }

export type Combined =
  | { type: 'combined'; tip: string }
  /** The last commit has both sides of these paths. */
  | { type: 'conflict'; tip: string; paths: string[] }
  | { type: 'failed'; why: string }

/** No hook runs, and nobody is asked for a text. */
const PLAIN = [
  '-c',
  'core.hooksPath=/dev/null',
  '-c',
  'rebase.autoSquash=false',
  '-c',
  'rebase.updateRefs=false',
]
const unasked = (env: Record<string, string>) => ({ ...env, GIT_EDITOR: 'true', GIT_SEQUENCE_EDITOR: 'true' })

/** Ends a rebase or merge that was cut off: the branch is as it was before. */
export async function abandonOperation({ root, dirs, env }: Side): Promise<void> {
  const operation = unfinishedOperation(dirs)
  if (operation === null) return
  const name = operation.includes('rebase') ? 'rebase' : 'merge'
  await attempt(root, env, [...PLAIN, name, '--abort'])
}

/**
 * Brings the commit `onto` into the branch of a worktree where nothing is uncommitted. Afterwards the branch can be
 * fast-forwarded to. A conflict is committed as it is, with its marks, so that whoever resolves it starts from a
 * clean tree; that commit never leaves the branch (`foldConflict`). Safe to repeat.
 */
export async function combine(
  side: Side,
  onto: string,
  style: MergeStyle,
  message: string,
): Promise<Combined> {
  const { root, env } = side
  const tip = await commitOf(root, env, 'HEAD')
  if (tip === null) return { type: 'failed', why: `${root} has no commit` }
  if (!(await isAncestor(root, env, onto, tip))) {
    const isRebased = style === 'rebase' && (await isLinear(side, onto, tip)) && (await rebase(side, onto))
    if (!isRebased) {
      const merged = await merge(side, onto, message)
      if (merged.type !== 'combined') return merged
    }
  }
  return style === 'rebase' ? combinedAt(side) : asOneCommit(side, onto, style, message)
}

async function combinedAt({ root, env }: Side): Promise<Combined> {
  const tip = await commitOf(root, env, 'HEAD')
  return tip === null ? { type: 'failed', why: `${root} has no commit` } : { type: 'combined', tip }
}

/** A rebase would lose how the conflict of an earlier merge was resolved. */
async function isLinear({ root, env }: Side, onto: string, tip: string): Promise<boolean> {
  const merges = await git(root, env, ['rev-list', '--merges', '--count', `${onto}..${tip}`])
  return merges?.trim() === '0'
}

async function rebase(side: Side, onto: string): Promise<boolean> {
  const { root, env } = side
  const failure = await attempt(root, unasked(env), [...PLAIN, 'rebase', '--quiet', '--no-autostash', onto])
  if (failure !== null) await abandonOperation(side)
  return failure === null
}

async function merge(side: Side, onto: string, message: string): Promise<Combined> {
  const { root, env } = side
  const failure = await attempt(root, unasked(env), [
    ...PLAIN,
    'merge',
    '--quiet',
    '--no-ff',
    '-m',
    `Merge the latest changes into: ${message.split('\n', 1)[0]}`,
    onto,
  ])
  if (failure === null) return combinedAt(side)
  const unmerged = await git(root, env, ['diff', '--name-only', '--diff-filter=U', '-z'])
  const paths = (unmerged ?? '').split('\0').filter(Boolean)
  if (paths.length === 0) {
    await abandonOperation(side)
    return { type: 'failed', why: `git merge: ${failure}` }
  }
  try {
    await mustGit(root, env, ['--literal-pathspecs', 'add', '--all', '--', ...paths])
    await mustGit(root, unasked(env), ['commit', '--quiet', '--no-edit', '--no-verify'])
  } catch (error) {
    await abandonOperation(side)
    return { type: 'failed', why: (error as Error).message }
  }
  const tip = await commitOf(root, env, 'HEAD')
  return tip === null ? { type: 'failed', why: `${root} has no commit` } : { type: 'conflict', tip, paths }
}

/** The whole work as one commit after `onto`; a merge also names the commits that it came from. */
async function asOneCommit(
  side: Side,
  onto: string,
  style: 'merge' | 'squash',
  message: string,
): Promise<Combined> {
  const { root, env } = side
  const tip = await commitOf(root, env, 'HEAD')
  if (tip === null || tip === onto) return combinedAt(side)
  const parents = (await git(root, env, ['log', '-1', '--format=%P', tip]))?.trim().split(' ') ?? []
  // It is done already.
  if (parents[0] === onto && parents.length === (style === 'merge' ? 2 : 1)) return combinedAt(side)
  const others = style === 'merge' ? ['-p', tip] : []
  return replaceTip(side, tip, [onto], others, message)
}

async function replaceTip(
  side: Side,
  tip: string,
  parents: readonly string[],
  others: readonly string[],
  message: string,
): Promise<Combined> {
  const { root, env } = side
  try {
    const named = parents.flatMap(parent => ['-p', parent])
    const made = await mustGit(root, env, ['commit-tree', `${tip}^{tree}`, ...named, ...others], message)
    await mustGit(root, env, ['update-ref', '-m', 'ralph: combine', 'HEAD', made, tip])
    return { type: 'combined', tip: made }
  } catch (error) {
    return { type: 'failed', why: (error as Error).message }
  }
}

/** Makes one merge of a conflict and of what resolved it, so that no commit with marks is merged. Safe to repeat. */
export async function foldConflict(side: Side, conflict: string, message: string): Promise<Combined> {
  const { root, env } = side
  const tip = await commitOf(root, env, 'HEAD')
  if (tip === null || !(await isAncestor(root, env, conflict, tip))) return combinedAt(side)
  const parents = (await git(root, env, ['log', '-1', '--format=%P', conflict]))?.trim().split(' ') ?? []
  return replaceTip(side, tip, parents, [], `Merge the latest changes into: ${message}`)
}
