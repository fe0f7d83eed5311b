import { describe, expect, it } from 'vitest'
import { initial, type TaskState, taskStateOf } from '../../../src/core/table.ts'
import { estimate, reviewAnalytics } from '../../../src/workflows/stories/rules/analytics.ts'
import { changedCodeErrors, repositoryErrors } from '../../../src/workflows/stories/rules/iteration-errors.ts'
import { snapshotFrom } from '../../../src/workflows/stories/rules/marker.ts'
import { storyTasks } from '../../../src/workflows/stories/rules/review.ts'
import type { StoriesFile, Story } from '../../../src/workflows/stories/rules/story-file.ts'
import { archiveSummary } from '../../../src/workflows/stories/rules/templates.ts'
import { storiesTable } from '../../../src/workflows/stories/table.ts'
import { newStory } from '../../core/setup.ts'

const approved = { passes: true, reviewStatus: 'approved', reviewCount: 2, notes: 'x' } as const
const file = (...userStories: Story[]): StoriesFile => ({
  project: 'Cart',
  branchName: 'ralph/cart',
  description: 'A cart.',
  userStories,
})

describe('an iteration', () => {
  const clean = { branch: 'main', disorder: null }
  const told = (isNow: string, was: string) =>
    `After this iteration ${isNow} (${was}), and ralph's commits go there too. Go back unless the switch was asked for.`

  it.each([
    ['changes nothing', clean, clean, []],
    ['goes to a usual branch', clean, { branch: 'usual', disorder: null }, []],
    ['goes to another', clean, { branch: 'b', disorder: null }, [told('the branch is b', 'it was main')]],
    ['detaches HEAD', clean, { branch: null, disorder: null }, [told('HEAD is detached', 'it was main')]],
    [
      'leaves a detached HEAD',
      { branch: null, disorder: null },
      { branch: 'b', disorder: null },
      [told('the branch is b', 'HEAD was detached')],
    ],
    ['begins a rebase', clean, { branch: null, disorder: 'a rebase' }, ['a rebase']],
    ['finds a rebase', { branch: 'main', disorder: 'a rebase' }, { branch: 'b', disorder: 'a rebase' }, []],
    ['ends a rebase', { branch: 'main', disorder: 'a rebase' }, clean, []],
  ])('that %s is told so', (_, before, after, errors) => {
    expect(repositoryErrors(before, after, ['usual'])).toEqual(errors)
  })
})

describe('a review', () => {
  it('may write in the folder of the stories and record lasting rules', () => {
    const touched = ['ralph/tasks.json', 'CLAUDE.md', '.claude/rules/x.md', 'real/tasks.json']
    expect(changedCodeErrors(touched, { dir: 'ralph', target: 'real/tasks.json' })).toEqual([])
  })

  it('may not change code, and is told where', () => {
    const told = (...touched: string[]) => changedCodeErrors(touched, { dir: 'ralph' })
    expect(told('src/a.ts', 'ralphs/x', 'docs/CLAUDE.md')).toEqual([
      'A review does not change code, but this one did: src/a.ts, ralphs/x, docs/CLAUDE.md.',
    ])
    expect(told('1', '2', '3', '4', '5')[0]).toMatch(/: 1, 2, 3, 4, 5\.$/)
    expect(told('1', '2', '3', '4', '5', '6', '7')[0]).toMatch(/: 1, 2, 3, 4, 5 and 2 more\.$/)
  })
})

describe('the estimate', () => {
  const review = { cap: 5, skip: false, atCap: 'approve' } as const
  const two = file(newStory('A'), { ...newStory('B'), ...approved }, newStory('C'))

  it('counts what is open, three iterations for each', () => {
    expect(estimate(two, review, 6)).toEqual({
      text: '2 stories × ~3 iterations each = ~6 iterations needed',
      isTight: false,
    })
    expect(estimate(two, review, 5).isTight).toBe(true)
    expect(estimate(two, review, null).isTight).toBe(false)
  })

  it('counts one for each where there is no review', () => {
    expect(estimate(file(newStory('A')), { ...review, skip: true }, 1)).toEqual({
      text: '1 story × ~1 iteration each = ~1 iteration needed',
      isTight: false,
    })
  })
})

it('the analytics name rounds, what was approved at the cap, and what is left for a person', () => {
  const tasks = storyTasks(file(newStory('A'), newStory('B'), newStory('C'), newStory('D')))
  const state = (more: Partial<TaskState>) => ({
    ...taskStateOf(storiesTable(), initial, tasks[0]!),
    ...more,
  })
  const taskStates = {
    A: state({ stage: 'done', rounds: 5, why: 'approved at the cap' }),
    B: state({ stage: 'done', rounds: 1 }),
    C: state({ stage: 'blocked', rounds: 2, why: 'asks' }),
    D: state({ stage: 'review', why: 'approved at the cap' }),
  }
  expect(reviewAnalytics(tasks, { ...initial, taskStates }, storiesTable())).toEqual({
    reviewed: [
      { task: 'A', reviews: 5, isDone: true, isCapped: true },
      { task: 'B', reviews: 1, isDone: true, isCapped: false },
      { task: 'C', reviews: 2, isDone: false, isCapped: false },
      { task: 'D', reviews: 0, isDone: false, isCapped: false },
    ],
    blocked: [['C', 'asks']],
  })
})

describe('the summary of an archived loop', () => {
  const capped = { ...newStory('B'), title: 'B | b', ...approved, reviewFeedback: '[AUTO-APPROVED AT CAP] x' }

  it('has its stories, reviews, dates and cost', () => {
    const facts = { from: '2026-03-01', to: '2026-03-02', runs: 2, iterations: 1, usd: 0.5 }
    expect(
      archiveSummary(file({ ...newStory('A'), title: 'A\na' }, capped), '2026-03-03', facts),
    ).toBe(`# Cart

A cart.

Archived: 2026-03-03

Branch: ralph/cart

Stories: 1 of 2 completed

Reviews: 2

Worked on: 2026-03-01 to 2026-03-02

2 runs, 1 iteration, $0.50

| story | title | state | reviews |
|---|---|---|---|
| A | A a | open | 0 |
| B | B \\| b | done, approved at the cap | 2 |
`)
  })

  it('leaves out what nobody knows', () => {
    const bare = { ...file({ ...newStory('A'), title: 'T', ...approved }), project: '', description: '' }
    expect(archiveSummary(bare, 'D', null)).toBe(
      '# Stories\n\nArchived: D\n\nBranch: ralph/cart\n\nStories: 1 of 1 completed\n\nReviews: 2\n\n| story | title | state | reviews |\n|---|---|---|---|\n| A | T | done | 2 |\n',
    )
    const free = { from: 'a', to: 'b', runs: 1, iterations: 2, usd: 0 }
    expect(archiveSummary(bare, 'D', free)).toContain('\n\n1 run, 2 iterations\n\n')
  })
})

it.each([
  ['nothing', null],
  ['no snapshot', { step: 1 }],
  ['a number', { step: 1, preIterationSnapshot: 7 }],
  ['null for a story', { step: 1, preIterationSnapshot: { A: null } }],
])('a snapshot of %s is none', (_, gate) => {
  expect(snapshotFrom(gate as never, 1)).toBeNull()
})
