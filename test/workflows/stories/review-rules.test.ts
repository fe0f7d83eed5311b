import { describe, expect, it } from 'vitest'
import {
  flawText,
  invariantFlaws,
  type ReviewMode,
  transitionFlaws,
} from '../../../src/workflows/stories/rules/review-rules.ts'
import type { StoriesFile, Story } from '../../../src/workflows/stories/rules/story-file.ts'
import { newStory } from '../../core/setup.ts'

const file = (...userStories: Story[]): StoriesFile => ({
  project: '',
  branchName: '',
  description: '',
  userStories,
})
const story = (id: string, more: Partial<Story> = {}): Story => ({
  ...newStory(id),
  notes: 'did it',
  ...more,
})
const approved = { passes: true, reviewStatus: 'approved' } as const

// What each mode may not do is judged in test/hooks/stop.test.ts, by the hook itself; here is what it leaves open.

describe('at any time', () => {
  const check = (more: Partial<Story>) => invariantFlaws(file(story('US-001', more)), 5).map(flawText)

  it('reviews are not more than the cap allows', () => {
    expect(check({ reviewCount: 6 })).toEqual([])
    expect(check({ reviewCount: 7 })).toEqual([
      'Story US-001 has reviewCount 7, more than the review cap of 5 allows.',
    ])
  })
})

describe('an iteration', () => {
  const before = file(
    story('new'),
    story('newer'),
    story('waiting', { reviewStatus: 'needs_review', reviewCount: 1 }),
    story('waiting too', { reviewStatus: 'needs_review' }),
    story('sent back', { reviewStatus: 'changes_requested', reviewCount: 2, reviewFeedback: 'tests' }),
    story('sent back too', { reviewStatus: 'changes_requested', reviewCount: 1, reviewFeedback: 'docs' }),
    story('done', { ...approved, reviewCount: 1 }),
  )
  const changed = (changes: Record<string, Partial<Story>>, ...more: Story[]) =>
    file(...before.userStories.map(s => ({ ...s, ...changes[s.id] })), ...more)
  const errors = (mode: ReviewMode, now: StoriesFile) =>
    transitionFlaws(mode, before.userStories, now).map(flawText)

  const implement = (id: string, what: string) =>
    `Implement iterations cannot set passes=true or approve stories. Only review iterations may approve. Story ${id} had illegal transition: ${what}.`
  const review = (id: string, what: string) =>
    `Review iteration made illegal transition on story ${id}: ${what}.`
  const fix = (id: string, what: string) =>
    `Review-fix iterations cannot approve stories. Story ${id} must go back to needs_review for re-review. Illegal transition: ${what}.`
  const resubmitted = { reviewStatus: 'needs_review', reviewFeedback: '' } as const
  const sentBack = { reviewStatus: 'changes_requested', reviewFeedback: 'fix it' } as const

  it.each<[ReviewMode, string, StoriesFile]>([
    ['implement', 'changes nothing', changed({})],
    [
      'implement',
      'submits a part of a story',
      changed({}, story('part', { reviewStatus: 'needs_review' }), story('rest')),
    ],
    ['implement', 'reorders', file(...[...before.userStories].reverse())],
    [
      'review',
      'approves a story and adds a fresh one',
      changed({ waiting: { ...approved, reviewCount: 2 } }, story('added')),
    ],
    ['review-fix', 'is not finished', changed({})],
  ])('of mode %s that %s is legal', (mode, _, now) => {
    expect(errors(mode, now)).toEqual([])
  })

  it.each<[ReviewMode, string, StoriesFile, string[]]>([
    [
      'implement',
      'submits two parts of a story',
      changed(
        {},
        story('part', { reviewStatus: 'needs_review' }),
        story('rest', { reviewStatus: 'needs_review' }),
      ),
      ['An implement iteration submits one story for review. Story rest was submitted besides part.'],
    ],
    [
      'implement',
      'submits a story and a part',
      changed({ new: { reviewStatus: 'needs_review' } }, story('part', { reviewStatus: 'needs_review' })),
      ['An implement iteration submits one story for review. Story part was submitted besides new.'],
    ],
    ...(
      [
        ['review', { reviewStatus: 'needs_review' }],
        ['review-fix', { reviewStatus: 'needs_review' }],
        ['implement', { reviewStatus: 'needs_review', reviewCount: 1 }],
        ['implement', { reviewStatus: 'needs_review', passes: true }],
      ] as const
    ).map(([mode, more]): [ReviewMode, string, StoriesFile, string[]] => {
      const part = story('part', more)
      return [
        mode,
        `adds ${JSON.stringify(more)}`,
        changed(mode === 'review' ? { waiting: { ...approved, reviewCount: 2 } } : {}, part),
        [
          `New stories must start incomplete, with passes=false, reviewStatus=null and reviewCount=0. Story part starts with passes=${part.passes}, reviewStatus=${part.reviewStatus} and reviewCount=${part.reviewCount}.`,
        ],
      ]
    }),
    [
      'implement',
      'takes an approval back',
      changed({ done: { passes: false, reviewStatus: null } }),
      [implement('done', 'passes true → false'), implement('done', 'reviewStatus approved → null')],
    ],
    [
      'implement',
      'submits two stories',
      changed({ new: { reviewStatus: 'needs_review' }, newer: { reviewStatus: 'needs_review' } }),
      ['An implement iteration submits one story for review. Story newer was submitted besides new.'],
    ],
    [
      'review',
      'counts twice',
      changed({ waiting: { ...approved, reviewCount: 3 } }),
      [review('waiting', 'reviewCount must be incremented by 1, not 1 → 3')],
    ],
    [
      'review',
      'approves what nobody submitted',
      changed({ new: { ...approved, reviewCount: 1 } }),
      [review('new', "its reviewStatus was 'null', not 'needs_review'")],
    ],
    [
      'review',
      'sends a story back without a word',
      changed({ waiting: { ...sentBack, reviewFeedback: '', reviewCount: 2 } }),
      [review('waiting', "'changes_requested' needs a reviewFeedback that is not empty")],
    ],
    [
      'review',
      'approves by halves',
      changed({ waiting: { reviewStatus: 'approved', reviewCount: 2 } }),
      [
        review(
          'waiting',
          "the verdict must be 'approved' with passes=true or 'changes_requested' with passes=false, not 'approved' with passes=false",
        ),
      ],
    ],
    [
      'review-fix',
      'approves a story',
      changed({ 'sent back': { reviewStatus: 'approved' } }),
      [fix('sent back', 'reviewStatus changes_requested → approved')],
    ],
    [
      'review-fix',
      'resubmits two stories',
      changed({ 'sent back': resubmitted, 'sent back too': resubmitted }),
      ['A review-fix iteration resubmits one story. Story sent back too was resubmitted besides sent back.'],
    ],
    [
      'review-fix',
      'submits another story',
      changed({ new: { reviewStatus: 'needs_review' } }),
      [fix('new', 'reviewStatus null → needs_review')],
    ],
  ])('of mode %s that %s is not', (mode, _, now, messages) => {
    expect(errors(mode, now)).toEqual(messages)
  })

  it('of review mode that touches a story before the one that waits has reviewed the one that waits', () => {
    const now = changed({ new: { reviewStatus: 'needs_review' }, waiting: { ...approved, reviewCount: 2 } })
    expect(errors('review', now)).toEqual([
      review(
        'new',
        'a review may only modify one story, and waiting was reviewed: reviewStatus null → needs_review',
      ),
    ])
  })

  it('of review mode with nothing to review may leave all as it is', () => {
    expect(transitionFlaws('review', [story('new')], file(story('new')))).toEqual([])
  })

  it('is compared by ids, whatever these mean elsewhere', () => {
    const odd = file(story('__proto__'), story('constructor'))
    expect(transitionFlaws('implement', odd.userStories, odd)).toEqual([])
    expect(transitionFlaws('implement', [], odd)).toEqual([])
  })
})
