import { shellWord } from '../../core/format.ts'
import { formatCapped, formatReviews } from '../../view/report/format.ts'
import type { Style } from '../../view/style.ts'
import { plainLine } from '../../view/text/plain.ts'
import type { reviewAnalytics } from './rules/analytics.ts'

/** Summary of a loop's reviews. Stories that no reviewer approved stand out as warnings. */
export function reviewLines(
  { reviewed, blocked }: ReturnType<typeof reviewAnalytics>,
  { colors, marks }: Style,
  run: string,
): string[] {
  return [
    ...formatReviews(reviewed),
    ...formatCapped(reviewed).map(line => colors.yellow(`${marks.warn} ${line}`)),
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
