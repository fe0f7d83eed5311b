import type { TaskId } from '../../../core/task.ts'

/** What a review did besides reading: the files it changed, and the source of an approval that it copied. */
export type ReviewActions = { touched: readonly string[]; from: string | null }

/** The stories' folder, and the target of their list if it is a link. */
export type StoryFolder = { dir: string; target?: string | null }

/** The sentence about an approval that the review copied instead of giving its own. */
export const copiedApprovalErrors = (story: TaskId, { from }: ReviewActions): string[] =>
  from === null
    ? []
    : [
        `A review must give its own verdict, but this one copied the file from ${from}, where story ${story} was already approved. That does not count as an approval; report what you found yourself.`,
      ]

/** The sentence about code that the review changed. */
export function changedCodeErrors({ touched }: ReviewActions, { dir, target }: StoryFolder): string[] {
  const code = touched.filter(path => path !== target && !mayReviewWrite(path, dir))
  return code.length === 0 ? [] : [`A review does not change code, but this one did: ${joinPaths(code)}.`]
}

const MOST_NAMED = 5

const joinPaths = (paths: readonly string[]) =>
  paths.slice(0, MOST_NAMED).join(', ') +
  (paths.length > MOST_NAMED ? ` and ${paths.length - MOST_NAMED} more` : '')

/** A review may write in the stories' folder, and record lasting rules. */
const mayReviewWrite = (path: string, dir: string): boolean =>
  path.startsWith(`${dir}/`) || path === 'CLAUDE.md' || path.startsWith('.claude/')
