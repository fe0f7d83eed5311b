import { describe, expect, it } from 'vitest'
import { formatCapped, formatReviews, type Reviewed } from '../../src/view/report/format.ts'

const story = (task: string, reviews: number, more: Partial<Reviewed> = {}): Reviewed => ({
  task,
  reviews,
  isDone: true,
  isCapped: false,
  ...more,
})

describe('the reviews of a story loop', () => {
  it.each<[string, Reviewed[], string[]]>([
    ['nothing, if there were none', [story('A', 0)], []],
    [
      'that they took little, if most stories needed one',
      [story('A', 1), story('B', 1), story('C', 3)],
      [
        '5 reviews: A 1 · B 1 · C 3',
        '2 of 3 stories approved at the first review: reviews found little here',
      ],
    ],
    [
      'that they found something, if half of the stories were sent back',
      [story('A', 1), story('B', 2)],
      [
        '3 reviews: A 1 · B 2',
        '1 of 2 stories approved at the first review: reviews found something in at least half of them',
      ],
    ],
    [
      'no approval of a story that reached its cap at once',
      [story('A', 1, { isCapped: true })],
      [
        '1 review: A 1',
        '0 of 1 story approved at the first review: reviews found something in at least half of them',
      ],
    ],
    ['nothing of stories that are not done', [story('A', 2, { isDone: false })], ['2 reviews: A 2']],
  ])('say %s', (_, all, lines) => {
    expect(formatReviews(all)).toEqual(lines)
  })

  it('name what no reviewer approved', () => {
    expect(formatCapped([story('A', 5, { isCapped: true }), story('B', 1)])).toEqual([
      'A was approved at the review cap, not by a reviewer: look at it',
    ])
  })
})
