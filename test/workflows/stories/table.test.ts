import { expect, it } from 'vitest'
import { storyTask } from '../../../src/workflows/stories/rules/review.ts'
import { storiesTable } from '../../../src/workflows/stories/table.ts'
import { ok, play, red } from '../../core/play.ts'
import { newStory } from '../../core/setup.ts'

const tasks = (...ids: string[]) => ids.map(id => storyTask(newStory(id)))

it('work that was sent back goes first, then what waits for review, then what is new', () => {
  const run = play(storiesTable(), tasks('A', 'B', 'C'))
  const state = (stage: string) => ({ ...run.at('A'), stage })
  run.record({ type: 'edited', at: 0, by: 'person', state: { B: state('review'), C: state('fix') } })
  const next = () => {
    const decision = run.decide()
    return decision.type === 'work' ? `${decision.stage} ${decision.task.id}` : decision.type
  }
  expect(next()).toBe('fix C')
  run.record({ type: 'edited', at: 0, by: 'person', state: { C: state('done') } })
  expect(next()).toBe('review B')
  run.record({ type: 'edited', at: 0, by: 'person', state: { B: state('done') } })
  expect(next()).toBe('implement A')
})

it.each([
  [{}, 6, 3],
  [{ submitWithin: 2, verdictWithin: 1 }, 2, 1],
])(
  'a story with limits %j is blocked after %d iterations without submission, and %d reviews without verdict',
  (limits, work, review) => {
    const run = play(storiesTable(limits), tasks('A'))
    for (let n = 1; n < work; n++) run.step(ok())
    expect(run.at('A').stage).toBe('implement')
    run.step(ok())
    expect(run.at('A')).toMatchObject({ stage: 'blocked', why: 'all tries at implementing are used' })
    const judged = play(storiesTable(limits), tasks('A'))
    judged.step(ok({ signal: true }))
    for (let n = 1; n < review; n++) judged.step(ok())
    expect(judged.at('A').stage).toBe('review')
    judged.step(ok())
    expect(judged.at('A')).toMatchObject({ stage: 'blocked', why: 'all tries at reviewing are used' })
  },
)

it('a story that was sent back is fixed within as many iterations, then reviewed again', () => {
  const run = play(storiesTable({ submitWithin: 2 }), tasks('A'))
  run.step(ok({ signal: true }))
  run.step(ok({ verdict: 'reject', note: 'no' }))
  run.step(ok())
  expect(run.step(ok({ signal: true })).move).toBe('pass')
  expect(run.at('A')).toMatchObject({ stage: 'review', rounds: 1 })
  run.step(ok({ verdict: 'reject', note: 'no' }))
  run.step(ok())
  run.step(ok())
  expect(run.at('A')).toMatchObject({ stage: 'blocked', why: 'all tries at fixing are used: no' })
})

it('without reviews a story is done when it is submitted', () => {
  const run = play(storiesTable({ skip: true }), tasks('A'))
  run.step(ok({ signal: true }))
  expect(run.at('A').stage).toBe('done')
})

it.each([
  ['approve', 'done', 'approved at the cap'],
  ['block', 'blocked', 'sent back 2 times: no'],
] as const)('at the cap %s makes a story %s', (atCap, stage, why) => {
  const run = play(storiesTable({ cap: 2, atCap }), tasks('A'))
  run.step(ok({ signal: true }))
  run.step(ok({ verdict: 'reject', note: 'no' }))
  run.step(ok({ signal: true }))
  run.step(ok({ verdict: 'reject', note: 'no' }))
  expect(run.at('A')).toMatchObject({ stage, why })
})

it('has three stages, each with its role and what people see, one story at a time, five reviews', () => {
  const { name, width, rounds, bugs, stages } = storiesTable()
  expect([name, width, rounds, bugs]).toEqual(['stories', 1, 5, 0])
  expect(Object.entries(stages).map(([stage, { role, title }]) => `${stage}: ${role}, ${title}`)).toEqual([
    'implement: coder, implementing',
    'review: reviewer, reviewing',
    'fix: coder, fixing',
  ])
})

it('a red check keeps a story where it is worked on', () => {
  const run = play(storiesTable(), tasks('A'))
  run.step(ok({ signal: true, findings: [red] }))
  expect(run.at('A').stage).toBe('implement')
  run.step(ok({ signal: true }))
  run.step(ok({ verdict: 'approve', findings: [red] }))
  expect(run.at('A').stage).toBe('fix')
  run.step(ok({ signal: true, findings: [red] }))
  expect(run.at('A').stage).toBe('fix')
})
