import { join } from 'node:path'
import { UsageError } from '../core/usage-error.ts'
import { asItIs, atStart, isRalphsOwn } from './compare.ts'
import { mustGit } from './git.ts'
import { unfinished } from './head.ts'
import { isKept } from './keep.ts'
import { type Left, tipOf } from './left.ts'
import { obstacleTo } from './obstacle.ts'
import type { Start } from './start.ts'
import { contentOf, readStatus, type Status } from './status.ts'
import { touchedSince } from './touched.ts'
import { type Scratch, writeTree } from './trees.ts'

/** What stands between the tree as it is and the one that a run found. */
export type UndoPlan = {
  now: Pick<Status, 'head' | 'branch'>
  /** Where the branch is that the run began on. */
  tip: string | null
  /** Everything as it is now. */
  tree: string
  /** Were not there. */
  remove: string[]
  /** To be had from the commit that the run began on. */
  restore: string[]
  /** Were dirty, and were kept. */
  refill: string[]
  /** Left as they are: changed since the run ended, and not by it. */
  later: string[]
  /** Left as they are: what they held at the start was not kept. */
  unknown: string[]
  /** Left as they are: repositories of their own. */
  repositories: string[]
}

/** Where a plan has the files of the start, to be checked out. */
export const startIndex = (scratch: Scratch): string => join(scratch.folder, 'start')

export type Undoing = {
  start: Start
  runDir: string
  /** null where nobody wrote it down: the run was cut off. */
  left: Left | null
  /** An undo was begun already; what it left is not what the run left. */
  isBegun: boolean
  /** Also what was changed after the run, where it is in the way. */
  force: boolean
  env: Record<string, string>
  scratch: Scratch
}

/** Compares, and decides what to do; changes nothing. Throws one clear line if something of the user's is in the way. */
export async function planUndo(undoing: Undoing): Promise<UndoPlan> {
  const { start, runDir, left, isBegun, force, env, scratch } = undoing
  const trouble = unfinished(start.dirs)
  if (trouble) throw new UsageError(`${start.root}: ${trouble}; finish or undo that first`)
  const status = await readStatus(start.root, env, start.root)
  if (!status) throw new UsageError(`${start.root} is no git repository any more`)
  const tip = await tipOf(start, env)
  if (left) refuseMoved(start, left, isBegun, status, tip)

  const tree = await writeTree(start, env, join(scratch.folder, 'now'), asItIs(start, status))
  const { tree: found, unknown } = atStart(start, runDir)
  const target = await writeTree(start, scratch.env, startIndex(scratch), found)
  const changes = await changesBetween(start, scratch.env, tree, target)

  // What differs only in a way that git does not keep (line ends, say) differs all the same.
  const refilled = Object.keys(start.dirty).filter(
    path => isKept(start, runDir, path) && contentOf(start.root, path) !== start.dirty[path],
  )
  const repositories = changes.filter(c => c.isRepository).map(c => c.path)
  const files = changes.filter(c => !c.isRepository && !isRalphsOwn(c.path))
  const later =
    left && !isBegun ? await touchedSince(start, left, status, env) : { clashing: [], apart: [] as string[] }
  const apart = new Set(later.apart)
  const plan: UndoPlan = {
    now: { head: status.head, branch: status.branch },
    tip,
    tree,
    remove: files.filter(c => c.isGone && !apart.has(c.path)).map(c => c.path),
    restore: files
      .filter(c => !c.isGone && !apart.has(c.path) && !Object.hasOwn(start.dirty, c.path))
      .map(c => c.path),
    refill: [...new Set([...files.filter(c => !c.isGone).map(c => c.path), ...refilled])].filter(
      path => Object.hasOwn(start.dirty, path) && start.dirty[path] !== 'absent' && !apart.has(path),
    ),
    later: later.apart,
    unknown,
    repositories: [...repositories, ...status.paths.filter(isNew(start))],
  }
  // What the user has put back already is in nobody's way.
  const planned = new Set([...plan.remove, ...plan.restore, ...plan.refill])
  const clashing = later.clashing.filter(path => planned.has(path))
  if (clashing.length > 0 && !force) throw new UsageError(clash(clashing))
  const obstacle = obstacleTo(start.root, plan.remove, [...plan.restore, ...plan.refill])
  if (obstacle) throw new UsageError(obstacle)
  return plan
}

/** A repository that somebody made or cloned inside of this one. */
const isNew = (start: Start) => (path: string) => path.endsWith('/') && !Object.hasOwn(start.dirty, path)

function refuseMoved(start: Start, left: Left, isBegun: boolean, now: Status, tip: string | null): void {
  const name = (branch: string | null) => branch ?? 'a detached HEAD'
  const isBack = isBegun && now.branch === start.branch
  if (now.branch !== left.branch && !isBack)
    throw new UsageError(
      `the run left you on ${name(left.branch)}, and now it is ${name(now.branch)}; go back there first, with git switch`,
    )
  const known = (commit: string | null, left: string | null) =>
    commit === left || (isBegun && commit === start.head)
  if (!known(now.head, left.head) || !known(tip, left.base))
    throw new UsageError(
      `there are commits that the run did not make: it left ${name(left.branch)} at ${short(left.head)}, and now it is at ${short(now.head)}; ` +
        'take them off the branch first, or take the run back with git revert',
    )
}

const clash = (paths: string[]) =>
  `changed since the run ended, and by the run, too: ${paths.slice(0, 5).join(', ')}${paths.length > 5 ? ` and ${paths.length - 5} more` : ''}; ` +
  'save what you want to keep elsewhere, then insist with --force'

export const short = (commit: string | null): string => commit?.slice(0, 10) ?? 'no commit'

type Change = { path: string; isGone: boolean; isRepository: boolean }

/** What must be done to a tree to get another. */
async function changesBetween(
  start: Start,
  env: Record<string, string>,
  from: string,
  to: string,
): Promise<Change[]> {
  const args = ['diff-tree', '-r', '-z', '--raw', '--no-renames', from, to]
  const fields = (await mustGit(start.root, env, args)).split('\0')
  const changes: Change[] = []
  for (let i = 0; i + 1 < fields.length; i += 2) {
    const [before = '', after] = fields[i]!.slice(1).split(' ')
    const path = fields[i + 1]!
    changes.push({ path, isGone: after === '000000', isRepository: [before, after].includes('160000') })
  }
  return changes
}
