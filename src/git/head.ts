import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { LIMITS, textAt } from '../store/files/read.ts'

/** Where a repository keeps its HEAD (`own`) and its branches (`common`). They differ in a linked working tree. */
export type GitDirs = { own: string; common: string }

/**
 * The commit and the branch of HEAD, read without starting git because every iteration needs them. null if the files do
 * not show them.
 */
export function readHead({ own, common }: GitDirs): { commit: string | null; branch: string | null } | null {
  const head = read(join(own, 'HEAD'))
  const ref = refIn(head)
  if (ref === null) return head === null ? null : { commit: head, branch: null }
  const branch = branchIn(ref)
  // It is stored in another format.
  if (branch === null) return null
  return { commit: read(join(common, ref)) ?? readPacked(common, ref), branch }
}

/** The branch alone, which is in one file. */
export function readBranch({ own }: Pick<GitDirs, 'own'>): string | null {
  const ref = refIn(read(join(own, 'HEAD')))
  return ref === null ? null : branchIn(ref)
}

const refIn = (head: string | null): string | null => (head?.startsWith('ref: ') ? head.slice(5) : null)

/** A repository with reftables says nothing here. */
function branchIn(ref: string): string | null {
  const branch = ref.replace(/^refs\/heads\//, '')
  return branch === '.invalid' ? null : branch
}

function readPacked(common: string, ref: string): string | null {
  const line = read(join(common, 'packed-refs'), LIMITS.own)
    ?.split('\n')
    .find(l => l.endsWith(` ${ref}`))
  return line?.split(' ', 1)[0] ?? null
}

/** A git operation that was started and not finished, as a clause. Null if there is none. */
export function unfinishedOperation({ own }: GitDirs): string | null {
  const signs = [
    ['rebase-merge', 'a rebase is in progress'],
    ['rebase-apply', 'a rebase is in progress'],
    ['MERGE_HEAD', 'a merge is in progress'],
    ['CHERRY_PICK_HEAD', 'a cherry-pick is in progress'],
    ['REVERT_HEAD', 'a revert is in progress'],
  ] as const
  return signs.find(([name]) => existsSync(join(own, name)))?.[1] ?? null
}

const read = (path: string, limit: number = LIMITS.small): string | null =>
  textAt(path, { limit })?.trim() ?? null
