import { plural, shellWord } from '../../core/format.ts'
import { plainLine } from '../../view/plain.ts'
import type { Style } from '../../view/style.ts'
import type { reviewAnalytics } from './rules/analytics.ts'

/** Summary of a loop's reviews. Stories that no reviewer approved stand out as warnings. */
export function reviewLines(
  { reviews, capped, blocked }: ReturnType<typeof reviewAnalytics>,
  { colors, marks }: Style,
  run: string,
): string[] {
  const total = reviews.reduce((sum, [, count]) => sum + count, 0)
  if (total === 0 && capped.length === 0 && blocked.length === 0) return []
  const each = reviews.map(([id, count]) => `${plainLine(id)} ${count}`).join(' · ')
  return [
    `${plural(total, 'review')}: ${each}`,
    ...capped.map(id =>
      colors.yellow(
        `${marks.warn} ${plainLine(id)} was approved at the review cap, not by a reviewer: look at it`,
      ),
    ),
    ...blocked.map(([id, why]) =>
      colors.yellow(`${marks.warn} ${plainLine(id)} is left for you: ${plainLine(why)}`),
    ),
    ...blocked.slice(0, 1).map(([id]) => `to decide: ${decideCommands(run, id).join(', or: ')}`),
  ]
}

/** How a person decides about a story. An agent may have chosen its id. */
export const decideCommands = (run: string, story: string): string[] => {
  const id = shellWord(plainLine(story))
  return [`ralph approve ${run} ${id}`, `ralph reject ${run} ${id} "why"`]
}
