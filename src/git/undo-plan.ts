import { join } from 'node:path'
import { listPaths } from '../core/format.ts'
import type { Env } from '../core/ports.ts'
import { UsageError } from '../core/usage-error.ts'
import type { PinnedFolder } from '../store/files/pinned.ts'
import { currentTree, isRalphsOwn, treeAtStart } from './compare.ts'
import { changedSinceEnd, type EndSnapshot, startBranchTip } from './end-snapshot.ts'
import { unfinishedOperation } from './head.ts'
import { pathMatcher } from './hidden.ts'
import { isKept } from './kept-files.ts'
import { describeLocks } from './locks/find.ts'
import { lastingLocks } from './locks/lasting.ts'
import { obstacleTo, pathKind } from './path-kind.ts'
import type { Start } from './start.ts'
import { contentOf, ignoredAtStart, readStatus, type Status } from './status.ts'
import { changesBetween, type Scratch, writeTree } from './trees.ts'

/** What an undo has to change to get back to the tree at the start of a run. */
export type UndoPlan = {
  now: Pick<Status, 'head' | 'branch'>
  /** The tip of the branch that the run began on. */
  tip: string | null
  /** A tree object of everything as it is now. */
  tree: string
  /** Paths that did not exist. */
  remove: string[]
  /** Paths to check out of the commit that the run began on. */
  restore: string[]
  /** Paths that were dirty, to copy back from the kept files. */
  refill: string[]
  /** Not changed by the undo: they changed after the run ended, and not by it. */
  later: string[]
  /** Not changed by the undo: their content at the start was not kept. */
  unknown: string[]
  /** Not changed by the undo: nested repositories. */
  repositories: string[]
}

/** The index with the files of the start, to check them out. */
export const startIndex = (scratch: Scratch): string => join(scratch.folder, 'start')

export type UndoContext = {
  start: Start
  /** The repository's top folder, pinned: nothing outside it is changed. */
  root: PinnedFolder
  runDir: string
  /** Null if the run crashed and did not record it. */
  left: EndSnapshot | null
  /** An earlier undo was interrupted, so the tree is not as the run left it. */
  isBegun: boolean
  /** Also overwrite what was changed after the run. */
  force: boolean
  env: Env
  scratch: Scratch
}

/** Decides what an undo has to do. Changes nothing. Throws a UsageError if something of the user's is in the way. */
export async function planUndo(undoing: UndoContext): Promise<UndoPlan> {
  const { start, runDir, left, isBegun, force, env, scratch } = undoing
  const operation = unfinishedOperation(start.dirs)
  if (operation) throw new UsageError(`${start.root}: ${operation}; finish or undo that first`)
  const locks = await lastingLocks(start.dirs)
  if (locks.length > 0) throw new UsageError(`${start.root}: ${describeLocks(locks, start.root)}`)
  const status = await readStatus(start.root, env, { start })
  if (!status) throw new UsageError(`${start.root} is not a git repository any more`)
  const tip = await startBranchTip(start, env)
  if (left) refuseMoved(start, left, isBegun, status, tip)

  const tree = await writeTree(start, env, join(scratch.folder, 'now'), currentTree(start, status))
  const { tree: startTree, unknown } = treeAtStart(start, runDir)
  const target = await writeTree(start, scratch.env, startIndex(scratch), startTree)
  const changes = await changesBetween(start.root, scratch.env, tree, target)

  // Also differences that git does not store, line endings for example.
  const changedCopies = Object.keys(start.dirty).filter(
    path => isKept(start, runDir, path) && contentOf(start.root, path) !== start.dirty[path],
  )
  const repositories = changes.filter(c => c.isRepository).map(c => c.path)
  const isIgnored = ignoredAtStart(start)
  const wasAbsent = pathMatcher(start.sparse)
  const files = changes.filter(c => !c.isRepository && !isRalphsOwn(c.path) && !isIgnored(c.path))
  const later =
    left && !isBegun
      ? await changedSinceEnd(start, left, status, env)
      : { clashing: [], apart: [] as string[] }
  const apart = new Set(later.apart)
  const plan: UndoPlan = {
    now: { head: status.head, branch: status.branch },
    tip,
    tree,
    remove: files.filter(c => c.to === '' && !apart.has(c.path)).map(c => c.path),
    restore: files
      .filter(c => c.to !== '' && !apart.has(c.path) && !Object.hasOwn(start.dirty, c.path))
      .map(c => c.path)
      .filter(path => !wasAbsent(path)),
    refill: [...new Set([...files.filter(c => c.to !== '').map(c => c.path), ...changedCopies])].filter(
      path => Object.hasOwn(start.dirty, path) && start.dirty[path] !== 'absent' && !apart.has(path),
    ),
    later: later.apart,
    unknown,
    repositories: [...repositories, ...status.paths.filter(isNewRepository(start))],
  }
  // A path that the user has already put back does not clash.
  const planned = new Set([...plan.remove, ...plan.restore, ...plan.refill])
  const clashing = later.clashing.filter(path => planned.has(path))
  if (clashing.length > 0 && !force) throw new UsageError(clashMessage(clashing))
  const obstacle = obstacleTo(start.root, plan.remove, [...plan.restore, ...plan.refill])
  if (obstacle) throw new UsageError(obstacle)
  const unseen = unseenBy(status, start.root, [...plan.restore, ...plan.refill])
  if (unseen.length === 0) return plan
  const all = { head: status.head, paths: [...status.paths, ...unseen] }
  return { ...plan, tree: await writeTree(start, env, join(scratch.folder, 'now'), currentTree(start, all)) }
}

/** What an undo would overwrite although git does not list it: the agent may have had git ignore it. */
function unseenBy({ paths }: Status, root: string, planned: string[]): string[] {
  const seen = new Set(paths)
  return planned.filter(path => !seen.has(path) && ['file', 'link'].includes(pathKind(root, path)))
}

/** A repository that was created inside this one during or after the run. */
const isNewRepository = (start: Start) => (path: string) =>
  path.endsWith('/') && !Object.hasOwn(start.dirty, path)

function refuseMoved(
  start: Start,
  left: EndSnapshot,
  isBegun: boolean,
  now: Status,
  tip: string | null,
): void {
  const name = (branch: string | null) => branch ?? 'a detached HEAD'
  const isBackAlready = isBegun && now.branch === start.branch
  if (now.branch !== left.branch && !isBackAlready)
    throw new UsageError(
      `the run left you on ${name(left.branch)}, and now it is ${name(now.branch)}; go back there first, with git switch`,
    )
  const isExpected = (commit: string | null, recorded: string | null) =>
    commit === recorded || (isBegun && commit === start.head)
  if (!isExpected(now.head, left.head) || !isExpected(tip, left.base))
    throw new UsageError(
      `there are commits that the run did not make: it left ${name(left.branch)} at ${shortHash(left.head)}, and now it is at ${shortHash(now.head)}; ` +
        'take them off the branch first, or take the run back with git revert',
    )
}

const clashMessage = (paths: string[]) =>
  `changed by the run, and again since it ended: ${listPaths(paths)}; ` +
  'save what you want to keep elsewhere, then use --force'

export const shortHash = (commit: string | null): string => commit?.slice(0, 10) ?? 'no commit'
