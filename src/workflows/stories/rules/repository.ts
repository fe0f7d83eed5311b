/** How a repository stands: its branch (null: HEAD is detached), and what somebody began in it and did not finish. */
export type Repository = { branch: string | null; disorder: string | null }

/**
 * What an iteration did to the repository that people and the next agent must know. Another branch is said, not blamed:
 * the prompt may have asked for it. A branch that is `usual` is no news.
 */
export function repositoryErrors(
  was: Repository,
  is: Repository,
  usual: readonly (string | null)[],
): string[] {
  // A rebase takes HEAD off its branch, and brings it back when it ends.
  if (is.disorder !== null) return is.disorder === was.disorder ? [] : [is.disorder]
  if (is.branch === was.branch || usual.includes(is.branch)) return []
  const now = is.branch === null ? 'HEAD is detached' : `the branch is ${is.branch}`
  const before = was.branch === null ? 'HEAD was detached' : `it was ${was.branch}`
  return [
    `Since this iteration ${now} (${before}), and ralph commits there, too. Go back, unless it is asked for.`,
  ]
}
