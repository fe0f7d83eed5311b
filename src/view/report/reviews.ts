import { plural } from '../../core/format.ts'
import type { TaskId } from '../../core/task.ts'
import { plainLine } from '../text/plain.ts'

/** How often a story was reviewed, and what came of it. `isCapped`: no reviewer approved it. */
export type Reviewed = { task: TaskId; reviews: number; isDone: boolean; isCapped: boolean }

/** The reviews of each story, and whether they were worth it, a line each; none if nothing was reviewed. */
export function formatReviews(all: readonly Reviewed[]): string[] {
  const total = all.reduce((sum, { reviews }) => sum + reviews, 0)
  if (total === 0) return []
  const each = all.map(({ task, reviews }) => `${plainLine(task)} ${reviews}`).join(' · ')
  return [`${plural(total, 'review')}: ${each}`, ...worth(all)]
}

function worth(all: readonly Reviewed[]): string[] {
  const done = all.filter(({ isDone, reviews }) => isDone && reviews > 0)
  if (done.length === 0) return []
  const atOnce = done.filter(({ reviews, isCapped }) => reviews === 1 && !isCapped).length
  const reading =
    atOnce * 2 > done.length
      ? 'reviews found little here'
      : 'reviews found something in at least half of them'
  return [`${atOnce} of ${plural(done.length, 'story', 'stories')} approved at the first review: ${reading}`]
}

/** Stories that are done without a reviewer's approval. */
export const formatCapped = (all: readonly Reviewed[]): string[] =>
  all
    .filter(({ isCapped }) => isCapped)
    .map(({ task }) => `${plainLine(task)} was approved at the review cap, not by a reviewer: look at it`)
