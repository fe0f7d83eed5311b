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

describe('at any time', () => {
  const check = (more: Partial<Story>) => invariantFlaws(file(story('US-001', more)), 5).map(flawText)

  it.each([null, 'needs_review', 'changes_requested'] as const)(
    'a story cannot pass with reviewStatus %j',
    reviewStatus => {
      expect(check({ passes: true, reviewStatus, reviewFeedback: 'x' })).toEqual([
        `Story US-001 has passes=true but reviewStatus is '${reviewStatus}', not 'approved'. Only review iterations may approve stories. Set passes back to false or complete the review cycle.`,
      ])
    },
  )

  it('a story that passes is approved, and the other way round', () => {
    expect(check(approved)).toEqual([])
    expect(check({ reviewStatus: 'approved' })).toEqual([
      expect.stringMatching(
        /^Story US-001 has reviewStatus 'approved' but passes=false. The two are out of sync/,
      ),
    ])
  })

  it('requested changes are reported', () => {
    expect(check({ reviewStatus: 'changes_requested', reviewFeedback: ' ' })).toEqual([
      expect.stringMatching(/^Story US-001 has reviewStatus 'changes_requested' .*Feedback is required/),
    ])
    expect(check({ reviewStatus: 'changes_requested', reviewFeedback: 'x' })).toEqual([])
  })

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
    ['implement', 'submits a story', changed({ new: { reviewStatus: 'needs_review' } })],
    ['implement', 'adds a fresh story', changed({}, story('added'))],
    [
      'implement',
      'submits a part of a story',
      changed({}, story('part', { reviewStatus: 'needs_review' }), story('rest')),
    ],
    ['implement', 'reorders', file(...[...before.userStories].reverse())],
    ['review', 'approves a story', changed({ waiting: { ...approved, reviewCount: 2 } })],
    ['review', 'sends a story back', changed({ waiting: { ...sentBack, reviewCount: 2 } })],
    [
      'review',
      'adds a fresh story, too',
      changed({ waiting: { ...approved, reviewCount: 2 } }, story('added')),
    ],
    ['review-fix', 'is not finished', changed({})],
    ['review-fix', 'resubmits a story', changed({ 'sent back': resubmitted })],
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
      'passes a story',
      changed({ new: { passes: true } }),
      [implement('new', 'passes false → true')],
    ],
    [
      'implement',
      'approves a story',
      changed({ new: approved }),
      [implement('new', 'passes false → true'), implement('new', 'reviewStatus null → approved')],
    ],
    [
      'implement',
      'counts a review',
      changed({ new: { reviewCount: 1 } }),
      [implement('new', 'reviewCount 0 → 1')],
    ],
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
      'implement',
      'adds a story that is done',
      changed({}, story('added', approved)),
      [
        'New stories must start incomplete, with passes=false, reviewStatus=null and reviewCount=0. Story added starts with passes=true, reviewStatus=approved and reviewCount=0.',
      ],
    ],
    [
      'implement',
      'removes a story',
      file(...before.userStories.slice(1)),
      ['Story new was removed. Stories may be added and reordered, never removed: put it back.'],
    ],
    [
      'review',
      'gives no verdict',
      changed({}),
      [review('waiting', 'a review must increment reviewCount and give a verdict')],
    ],
    [
      'review',
      'does not count',
      changed({ waiting: approved }),
      [review('waiting', 'reviewCount must be incremented by 1, not 1 → 1')],
    ],
    [
      'review',
      'counts twice',
      changed({ waiting: { ...approved, reviewCount: 3 } }),
      [review('waiting', 'reviewCount must be incremented by 1, not 1 → 3')],
    ],
    [
      'review',
      'judges two stories',
      changed({ waiting: { ...approved, reviewCount: 2 }, 'waiting too': { ...sentBack, reviewCount: 1 } }),
      [
        review(
          'waiting too',
          'a review may only modify one story, and waiting was reviewed: reviewStatus needs_review → changes_requested, reviewCount 0 → 1',
        ),
      ],
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
      'passes a story',
      changed({ 'sent back': { passes: true } }),
      [fix('sent back', 'passes false → true')],
    ],
    [
      'review-fix',
      'approves a story',
      changed({ 'sent back': { reviewStatus: 'approved' } }),
      [fix('sent back', 'reviewStatus changes_requested → approved')],
    ],
    [
      'review-fix',
      'counts a review',
      changed({ 'sent back': { ...resubmitted, reviewCount: 3 } }),
      [fix('sent back', 'reviewCount 2 → 3')],
    ],
    [
      'review-fix',
      'keeps the feedback',
      changed({ 'sent back': { reviewStatus: 'needs_review' } }),
      [fix('sent back', 'reviewFeedback was not cleared')],
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
