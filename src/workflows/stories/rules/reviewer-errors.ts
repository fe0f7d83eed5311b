import type { TaskId } from '../../../core/task.ts'

/** What a review did beside reading: files it changed, and where an approval came from that is not its own. */
export type Deeds = { touched: readonly string[]; from: string | null }

/** The stories' folder, and where their list really is. */
export type StoryPlace = { dir: string; target?: string | null }

/** A verdict that is none, in a sentence. */
export const notOwn = (story: TaskId, { from }: Deeds): string[] =>
  from === null
    ? []
    : [
        `A review gives a verdict of its own, but this one took the file from ${from}, where story ${story} was approved before. That is no approval; say what you found yourself.`,
      ]

/** Code that a review changed, in a sentence. */
export function notReviewing({ touched }: Deeds, { dir, target }: StoryPlace): string[] {
  const code = touched.filter(path => path !== target && !isStories(path, dir))
  return code.length === 0 ? [] : [`A review does not change code, but this one did: ${named(code)}.`]
}

const MOST_NAMED = 5

const named = (paths: readonly string[]) =>
  paths.slice(0, MOST_NAMED).join(', ') +
  (paths.length > MOST_NAMED ? ` and ${paths.length - MOST_NAMED} more` : '')

/** What a review may write: the stories' own folder, and lasting rules. */
const isStories = (path: string, dir: string): boolean =>
  path.startsWith(`${dir}/`) || path === 'CLAUDE.md' || path.startsWith('.claude/')
