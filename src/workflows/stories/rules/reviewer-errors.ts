import { listPaths } from '../../../core/format.ts'

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
