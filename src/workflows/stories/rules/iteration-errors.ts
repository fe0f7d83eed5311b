import { listPaths } from '../../../core/format.ts'

/** The state of a repository. */
export type Repository = {
  /** Null if HEAD is detached. */
  branch: string | null
  /** An unfinished operation, for example a rebase. */
  disorder: string | null
}

/**
 * What an iteration did to the repository that people and the next agent must know. A change of branch is reported
 * without blame, because the prompt may have asked for it. A branch in `usual` is not reported.
 */
export function repositoryErrors(
  before: Repository,
  after: Repository,
  usual: readonly (string | null)[],
): string[] {
  // A rebase detaches HEAD until it ends, so an unfinished operation is reported instead of the branch.
  if (after.disorder !== null) return after.disorder === before.disorder ? [] : [after.disorder]
  if (after.branch === before.branch || usual.includes(after.branch)) return []
  const isNow = after.branch === null ? 'HEAD is detached' : `the branch is ${after.branch}`
  const was = before.branch === null ? 'HEAD was detached' : `it was ${before.branch}`
  return [
    `After this iteration ${isNow} (${was}), and ralph's commits go there too. Go back unless the switch was asked for.`,
  ]
}

/** The stories' folder, and the target of their list if it is a link. */
export type StoryFolder = { dir: string; target?: string | null }

/** The sentence about code that a review changed. `touched`: all files that it changed. */
export function changedCodeErrors(touched: readonly string[], { dir, target }: StoryFolder): string[] {
  const code = touched.filter(path => path !== target && !mayReviewWrite(path, dir))
  return code.length === 0 ? [] : [`A review does not change code, but this one did: ${listPaths(code)}.`]
}

/** A review may write in the stories' folder, and record lasting rules. */
const mayReviewWrite = (path: string, dir: string): boolean =>
  path.startsWith(`${dir}/`) || path === 'CLAUDE.md' || path.startsWith('.claude/')
