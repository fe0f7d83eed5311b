import { describe, expect, it } from 'vitest'
import {
  type GateInput,
  type GateRules,
  judgeStop,
  readGateRules,
} from '../../../src/workflows/stories/rules/gate.ts'
import type { StoriesFile, Story } from '../../../src/workflows/stories/rules/story-file.ts'
import { VERDICT_REQUEST } from '../../../src/workflows/stories/rules/verdict.ts'
import { newStory } from '../../core/setup.ts'

const story = (id: string, more: Partial<Story> = {}): Story => ({ ...newStory(id), ...more })
const file = (...userStories: Story[]): StoriesFile => ({
  project: 'p',
  branchName: 'b',
  description: '',
  userStories,
})
const FRESH = { passes: false, reviewStatus: null, reviewCount: 0 } as const
const WAITING = { ...FRESH, reviewStatus: 'needs_review' } as const
const rules = (more: Partial<GateRules> = {}): GateRules => ({
  mode: 'implement',
  skipReview: false,
  reviewCap: 5,
  before: [{ id: 'A', ...FRESH }],
  dirtyBefore: [],
  ...more,
})
const judge = (more: Partial<GateRules>, input: Partial<GateInput> = {}) =>
  judgeStop(rules(more), { folder: 'ralph', tasks: JSON.stringify(file(story('A'))), status: '', ...input })
const errors = (more: Partial<GateRules>, input: Partial<GateInput>) => judge(more, input).errors

describe('the rules of the gate', () => {
  const written = {
    iterationMode: 'review',
    skipReview: true,
    reviewCap: 3,
    preIterationSnapshot: { A: FRESH },
    dirtyBefore: ['a', 1, 'b'],
  }
  const nothing = { mode: null, skipReview: false, reviewCap: 5, before: null, dirtyBefore: [] }

  it('are read as ralph wrote them', () => {
    expect(readGateRules(written)).toEqual({
      mode: 'review',
      skipReview: true,
      reviewCap: 3,
      before: [{ id: 'A', ...FRESH }],
      dirtyBefore: ['a', 'b'],
    })
    for (const mode of ['implement', 'review', 'review-fix'])
      expect(readGateRules({ iterationMode: mode }).mode).toBe(mode)
    expect(readGateRules({ reviewCap: 1 }).reviewCap).toBe(1)
  })

  it.each([
    [null],
    ['text'],
    [[written]],
    [{}],
    [{ iterationMode: 'fix', skipReview: 'true', reviewCap: 0, dirtyBefore: 'a' }],
    [{ iterationMode: null, skipReview: 1, reviewCap: 2.5, preIterationSnapshot: null }],
    [{ reviewCap: '3', preIterationSnapshot: [] }],
    [{ preIterationSnapshot: { A: null } }],
    [{ preIterationSnapshot: { A: { ...FRESH, passes: 0 } } }],
    [{ preIterationSnapshot: { A: FRESH, B: { ...FRESH, reviewCount: '0' } } }],
    [{ preIterationSnapshot: { A: { passes: false, reviewCount: 0 } } }],
  ])('check less if they are %j', json => {
    expect(readGateRules(json)).toEqual(nothing)
  })
})

describe('an iteration may end', () => {
  it('if nothing is wrong', () => {
    const submitted = JSON.stringify(file(story('A', { reviewStatus: 'needs_review' })))
    expect(judge({}, { tasks: submitted })).toEqual({ errors: [], warnings: [] })
    expect(judge({}, { tasks: submitted, status: null })).toEqual({ errors: [], warnings: [] })
  })

  it('not without a story file that can be read', () => {
    expect(errors({}, { tasks: { unreadable: 'it is a folder' } })).toEqual([
      'ralph/tasks.json cannot be read: it is a folder. Remove what is there and put the file back.',
    ])
    expect(judge({}, { tasks: null, status: '?? a\0' })).toMatchObject({
      errors: ['ralph/tasks.json does not exist.', expect.stringContaining('uncommitted changes: a.')],
      warnings: [],
    })
  })

  const impossible = JSON.stringify(file(story('A', { reviewStatus: 'approved', reviewCount: 9 })))

  it('without reviews whatever the review fields say, but with everything committed', () => {
    expect(judge({ skipReview: true }, { tasks: impossible })).toEqual({ errors: [], warnings: [] })
    expect(errors({ skipReview: true }, { tasks: impossible, status: '?? a\0' })).toHaveLength(1)
  })

  it.each<Partial<GateRules>>([{ mode: null }, { before: null }])(
    'with a warning if there is no snapshot: %j',
    more => {
      const judged = judge(more, { tasks: impossible, status: '?? a\0' })
      expect(judged.warnings).toEqual([
        'there is no snapshot from before the iteration: transitions of the review fields were not checked, only their state',
      ])
      expect(judged.errors.length).toBeGreaterThan(1)
      expect(judged.errors.at(-1)).toContain('uncommitted')
      expect(judge(more)).toMatchObject({ errors: [] })
    },
  )

  it('with all errors at once', () => {
    const all = errors({}, { tasks: impossible, status: '?? a\0' })
    const states = judge({ before: null }, { tasks: impossible }).errors
    expect(all.slice(0, states.length)).toEqual(states)
    expect(all[states.length]).toContain('llegal transition')
    expect(all.at(-1)).toContain('uncommitted')
  })

  it('by the cap that it was given', () => {
    const tasks = JSON.stringify(file(story('A', { reviewCount: 3, reviewStatus: 'needs_review' })))
    expect(judge({ before: null, reviewCap: 1 }, { tasks }).errors).toHaveLength(1)
    expect(judge({ before: null, reviewCap: 2 }, { tasks }).errors).toEqual([])
  })
})

describe('a review may end', () => {
  const review = (more: Partial<Story>, message?: string, mode: GateRules['mode'] = 'review') =>
    judge(
      {
        mode,
        before: [
          { id: 'A', ...WAITING },
          { id: 'B', ...FRESH, reviewStatus: 'changes_requested' },
        ],
      },
      {
        tasks: JSON.stringify(
          file(
            story('N', { reviewStatus: null }),
            story('B', { reviewStatus: 'changes_requested', reviewFeedback: 'x' }),
            story('A', { reviewCount: 1, ...more }),
          ),
        ),
        ...(message !== undefined && { message }),
      },
    ).errors.filter(error => error === VERDICT_REQUEST)
  const approved = { passes: true, reviewStatus: 'approved', notes: 'x' } as const
  const rejected = { reviewStatus: 'changes_requested', reviewFeedback: 'no' } as const
  const YES = '<verdict>approved</verdict>'
  const NO = '<verdict>changes_requested</verdict>'

  it.each<[string, Partial<Story>, string | undefined, number]>([
    ['approves and says so', approved, YES, 0],
    ['rejects and says so', rejected, NO, 0],
    ['approves and says the opposite', approved, NO, 1],
    ['rejects and says the opposite', rejected, YES, 1],
    ['says nothing', approved, 'Well done.', 1],
    ['says nothing about a rejection', rejected, '', 1],
    ['has no words that count', approved, undefined, 0],
    ['gave no verdict', { reviewStatus: 'needs_review' }, YES, 0],
  ])('if it %s: asked again %4$d times', (_, more, message, asked) => {
    expect(review(more, message)).toHaveLength(asked)
  })

  it('is asked for its words only if it is a review', () => {
    expect(review(approved, 'Well done.', 'implement')).toEqual([])
  })
})

describe('uncommitted changes', () => {
  const submitted = JSON.stringify(file(story('A', { reviewStatus: 'needs_review' })))
  const left = (status: string) => errors({}, { tasks: submitted, status })

  it('have both names of what was renamed or copied', () => {
    expect(left('R  new\0old\0 M a\0')[0]).toContain('changes: new, old, a.')
    expect(left(' C new\0old\0')[0]).toContain('changes: new, old.')
    expect(left(' M RC\0?? CR\0')[0]).toContain('changes: RC, CR.')
  })

  it('are ten, and how many more', () => {
    const status = (count: number) => Array.from({ length: count }, (_, n) => `?? f${n}\0`).join('')
    expect(left(status(10))[0]).toContain('f8, f9.\n')
    expect(left(status(11))[0]).toMatch(/changes: f0, f1, .* f8, f9 and 1 more\.\n/)
    expect(left(status(13))[0]).toContain('f8, f9 and 3 more.\n')
  })

  it.each(['.ralph/x', 'sub/.ralph/x', '.ralph-active', 'sub/.ralph-active'])(
    'are not ralph’s own: %s',
    path => {
      expect(left(`?? ${path}\0`)).toEqual([])
    },
  )

  it.each(['x.ralph/y', '.ralph-active2', '.ralphx/y'])('are %s', path => {
    expect(left(`?? ${path}\0`)).toHaveLength(1)
  })
})
