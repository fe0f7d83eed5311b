/** The state of a repository: its branch (null: HEAD is detached), and an unfinished operation such as a rebase. */
export type Repository = { branch: string | null; disorder: string | null }

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
