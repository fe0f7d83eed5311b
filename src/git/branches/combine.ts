import type { Env } from '../../core/ports.ts'
import { attempt, commitOf, git, isAncestor, mustGit } from '../git.ts'
import { withScratchWorktree } from './worktree.ts'

/** How the work of a branch comes into another. */
export type MergeStyle = 'merge' | 'squash' | 'rebase'

/** A repository, and a path where a worktree may be made for a moment. */
export type Workbench = { root: string; env: Env; scratch: string }

export type Combined =
  | { type: 'combined'; tip: string }
  /** The commit has both sides of these paths. */
  | { type: 'conflict'; tip: string; paths: string[] }
  | { type: 'failed'; why: string }

/** No hook runs, nothing goes on in the background, and nobody is asked for a text. */
const PLAIN = [
  'core.hooksPath=/dev/null',
  'gc.auto=0',
  'maintenance.auto=false',
  'rebase.autoSquash=false',
  'rebase.updateRefs=false',
].flatMap(setting => ['-c', setting])
const unasked = (env: Env) => ({ ...env, GIT_EDITOR: 'true', GIT_SEQUENCE_EDITOR: 'true' })

/**
 * Makes a commit that has the work of `tip` and comes after `onto`. It only makes commits: no branch moves and no file
 * changes that anybody else sees, so a crash leaves nothing to undo. A conflict becomes a commit too, with its marks, so
 * that the agent that resolves it starts from a clean tree. `conflict`: such a commit, which is resolved by now; it does
 * not become part of the result.
 */
export async function combine(
  bench: Workbench,
  { tip, onto, conflict }: { tip: string; onto: string; conflict?: string },
  style: MergeStyle,
  message: string,
): Promise<Combined> {
  const { root, env } = bench
  try {
    const whole = conflict === undefined ? tip : await foldConflict(bench, tip, conflict, message)
    const combined: Combined = (await isAncestor(root, env, onto, whole))
      ? { type: 'combined', tip: whole }
      : await bringTogether(bench, whole, onto, style, message)
    if (combined.type !== 'combined' || style === 'rebase') return combined
    return { type: 'combined', tip: await asOneCommit(bench, combined.tip, onto, style, message) }
  } catch (error) {
    return { type: 'failed', why: (error as Error).message }
  }
}

async function bringTogether(
  { root, env, scratch }: Workbench,
  tip: string,
  onto: string,
  style: MergeStyle,
  message: string,
): Promise<Combined> {
  const mayRebase = style === 'rebase' && (await isLinear(root, env, onto, tip))
  return withScratchWorktree({ path: scratch, root }, tip, env, async () => {
    if (mayRebase && (await rebase(scratch, env, onto)))
      return { type: 'combined', tip: await headOf(scratch, env) }
    return merge(scratch, env, onto, message)
  })
}

/** A rebase would lose how the conflict of an earlier merge was resolved. */
async function isLinear(root: string, env: Env, onto: string, tip: string): Promise<boolean> {
  const merges = await git(root, env, ['rev-list', '--merges', '--count', `${onto}..${tip}`])
  return merges?.trim() === '0'
}

async function rebase(dir: string, env: Env, onto: string): Promise<boolean> {
  const failure = await attempt(dir, unasked(env), [...PLAIN, 'rebase', '--quiet', '--no-autostash', onto])
  if (failure !== null) await attempt(dir, env, [...PLAIN, 'rebase', '--abort'])
  return failure === null
}

async function merge(dir: string, env: Env, onto: string, message: string): Promise<Combined> {
  const text = mergeMessage(message)
  const failure = await attempt(dir, unasked(env), [
    ...PLAIN,
    'merge',
    '--quiet',
    '--no-ff',
    '-m',
    text,
    onto,
  ])
  if (failure === null) return { type: 'combined', tip: await headOf(dir, env) }
  const unmerged = await git(dir, env, ['diff', '--name-only', '--diff-filter=U', '-z'])
  const paths = (unmerged ?? '').split('\0').filter(Boolean)
  if (paths.length === 0) return { type: 'failed', why: `git merge: ${failure}` }
  await mustGit(dir, env, ['--literal-pathspecs', 'add', '--all', '--', ...paths])
  await mustGit(dir, unasked(env), ['commit', '--quiet', '--no-edit', '--no-verify'])
  return { type: 'conflict', tip: await headOf(dir, env), paths }
}

const mergeMessage = (message: string): string =>
  `Merge the latest changes into: ${message.split('\n', 1)[0]}`

async function headOf(dir: string, env: Env): Promise<string> {
  const head = await commitOf(dir, env, 'HEAD')
  if (head === null) throw new Error(`${dir} has no commit`)
  return head
}

/** The whole work as one commit after `onto`. A merge also names the commits that it came from. */
async function asOneCommit(
  { root, env }: Workbench,
  tip: string,
  onto: string,
  style: 'merge' | 'squash',
  message: string,
): Promise<string> {
  if (tip === onto) return tip
  if (style === 'squash') return sameTree(root, env, tip, [onto], message)
  const [first, ...others] = await parentsOf(root, env, tip)
  const isMerge = first === onto && others.length > 0
  return isMerge ? tip : sameTree(root, env, tip, [onto, tip], message)
}

/** One merge of a conflict and of what resolved it. It is `tip` itself if the conflict is not part of it. */
async function foldConflict(
  { root, env }: Workbench,
  tip: string,
  conflict: string,
  message: string,
): Promise<string> {
  if (!(await isAncestor(root, env, conflict, tip))) return tip
  return sameTree(root, env, tip, await parentsOf(root, env, conflict), mergeMessage(message))
}

const parentsOf = async (root: string, env: Env, commit: string): Promise<string[]> =>
  (await mustGit(root, env, ['log', '-1', '--format=%P', commit])).split(' ').filter(Boolean)

/** A commit with the files of another, and with these parents. */
const sameTree = (
  root: string,
  env: Env,
  commit: string,
  parents: readonly string[],
  message: string,
): Promise<string> =>
  mustGit(
    root,
    env,
    ['commit-tree', `${commit}^{tree}`, ...parents.flatMap(parent => ['-p', parent])],
    message,
  )
