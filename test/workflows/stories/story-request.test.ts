import { describe, expect, it } from 'vitest'
import { initial, type TaskState, taskStateOf } from '../../../src/core/table.ts'
import { storyTask } from '../../../src/workflows/stories/rules/review.ts'
import { storyEdit } from '../../../src/workflows/stories/rules/story-request.ts'
import { storiesTable } from '../../../src/workflows/stories/table.ts'
import { newStory } from '../../core/setup.ts'

const tasks = [storyTask(newStory('A')), storyTask(newStory('B'))]
const fresh = taskStateOf(storiesTable(), initial, tasks[0]!)
const note = (text: string) => ({ check: 'review', verdict: 'fail', note: text, claim: true }) as const
const decide = (request: unknown, current: Partial<TaskState> = {}, skip = false) =>
  storyEdit(
    tasks,
    { ...initial, taskStates: { A: { ...fresh, tries: 4, ...current } } },
    storiesTable({ skip }),
    { skip },
    request,
  )

describe('a request', () => {
  it.each([
    null,
    7,
    {},
    { action: 'approve' },
    { action: 'approve', story: 7 },
    { action: 'delete', story: 'A' },
    { action: 'reject', story: 'A', why: 7 },
  ])('of %j cannot be read', request => {
    expect(decide(request)).toEqual({ error: 'the request could not be read' })
  })

  it('about a story that is not there names those that are', () => {
    expect(decide({ action: 'reject', story: 'Z' })).toEqual({
      error: 'there is no story Z; the list has A, B',
    })
  })
})

describe('an approval', () => {
  it.each([
    [undefined, 'completed by a person'],
    ['  ', 'completed by a person'],
    [' fine ', 'approved by a person: fine'],
  ])('with the words %j closes the story, unproven, with its rounds', (why, reason) => {
    expect(
      decide({ action: 'approve', story: 'A', why }, { stage: 'fix', rounds: 2, lastRed: [note('x')] }),
    ).toEqual({
      state: { A: { ...fresh, stage: 'done', rounds: 2, lastRed: [], proof: false, why: reason } },
    })
  })

  it('is refused where the story is approved by a review, and taken where ralph approved it at the cap', () => {
    expect(decide({ action: 'approve', story: 'A' }, { stage: 'done' })).toEqual({
      error: 'A is approved already',
    })
    expect(
      decide({ action: 'approve', story: 'A' }, { stage: 'done', why: 'approved at the cap' }),
    ).toMatchObject({
      state: { A: { stage: 'done', why: 'completed by a person' } },
    })
  })
})

describe('a rejection', () => {
  const rejected = { ...fresh, stage: 'fix' }

  it('sends the story back with its words', () => {
    expect(
      decide(
        { action: 'reject', story: 'A', why: ' no ' },
        { stage: 'review', rounds: 2, lastRed: [note('old')] },
      ),
    ).toEqual({ state: { A: { ...rejected, rounds: 2, lastRed: [note('no')] } } })
  })

  it('without words keeps what was said before, or says that nothing was', () => {
    expect(decide({ action: 'reject', story: 'A' }, { lastRed: [note('old')] })).toEqual({
      state: { A: { ...rejected, lastRed: [note('old')] } },
    })
    expect(decide({ action: 'reject', story: 'A', why: ' ' })).toEqual({
      state: { A: { ...rejected, lastRed: [note('A person sent this story back, and gave no reason.')] } },
    })
  })

  it.each(['done', 'blocked'])('of a story that is %s counts its reviews anew', stage => {
    expect(decide({ action: 'reject', story: 'A', why: 'no' }, { stage, rounds: 5 })).toMatchObject({
      state: { A: { stage: 'fix', rounds: 0 } },
    })
  })

  it('without reviews has it implemented again', () => {
    expect(decide({ action: 'reject', story: 'A', why: 'no' }, { stage: 'done' }, true)).toMatchObject({
      state: { A: { stage: 'implement' } },
    })
  })
})
