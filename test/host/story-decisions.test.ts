import { describe, expect, it } from 'vitest'
import { story } from '../cli/stories-stage.ts'
import { hostStories } from './hosted-stories.ts'

const called = (stage: ReturnType<typeof hostStories>, from = 0) =>
  stage
    .seen()
    .slice(from)
    .map(({ mode, id }) => `${mode} ${id}`)
    .join(', ')

/** A is sent back at the cap and left for a person; then the run ends. */
async function leftForYou() {
  const stage = hostStories(
    { stories: [story('A')], verify: ['true'], calls: [null, "reject 'no tests'"] },
    { cap: 1 },
  )
  expect(await stage.host(20)).toBe(1)
  expect(stage.folded().state.taskStates.A).toMatchObject({ stage: 'blocked' })
  return stage
}

describe('a story that is left for a person', () => {
  it('is done by ralph approve: the file says so at once, and the run is complete', async () => {
    const stage = await leftForYou()
    const ran = await stage.ralph('approve', stage.id, 'A', 'good', 'enough')
    expect([ran.code, ran.stderr]).toEqual([0, ''])
    expect(ran.stdout).toBe(`approved A; continue with: ralph resume ${stage.id}\n`)
    expect(stage.story('A')).toMatchObject({ passes: true, reviewStatus: 'approved' })
    expect(await stage.host(20)).toBe(0)
    expect(called(stage, 2)).toBe('')
    expect(stage.folded().state.taskStates.A).toMatchObject({
      stage: 'done',
      proof: false,
      why: 'approved by a person: good enough',
    })
    expect(stage.journal().findLast(e => e.type === 'finished')).toMatchObject({ proof: 'claimed' })
    expect(stage.journal().findLast(e => e.type === 'edited')).toMatchObject({ by: 'person', from: {} })
    expect((await stage.ralph('archive')).code).toBe(0)
  })

  it('is fixed after ralph reject, by these words or the last feedback, with all its reviews', async () => {
    for (const [words, feedback] of [
      [['the total', 'is wrong'], 'the total is wrong'],
      [[], 'no tests'],
    ] as const) {
      const stage = await leftForYou()
      expect((await stage.ralph('reject', stage.id, 'A', ...words)).code).toBe(0)
      expect(stage.story('A')).toMatchObject({
        passes: false,
        reviewStatus: 'changes_requested',
        reviewFeedback: feedback,
        reviewCount: 0,
      })
      expect(await stage.host(20)).toBe(0)
      expect(called(stage, 2)).toBe('review-fix A, review A')
      expect(stage.seen()[2]!.prompt).toContain(feedback)
      expect(stage.warned()).toEqual([])
    }
  })

  it('keeps what a person wrote into the file before', async () => {
    const stage = await leftForYou()
    const file = stage.file()
    stage.put({ ...file, userStories: [...file.userStories, story('B')] })
    expect((await stage.ralph('approve', stage.id, 'A')).code).toBe(0)
    expect(stage.folded().tasks.map(({ id }) => id)).toEqual(['A', 'B'])
    expect(await stage.host(20)).toBe(0)
    expect(called(stage, 2)).toBe('implement B, review B')
  })

  it('gets the instruction that was told to it, and no other story does', async () => {
    const stage = hostStories({ stories: [story('A'), story('B')], verify: ['true'] })
    expect(await stage.host(1)).toBe(1)
    expect((await stage.ralph('tell', stage.id, 'B', 'use', 'the keyring')).stdout).toBe(
      `told run ${stage.id}; the instruction is in the prompts of B from the next iteration on\n`,
    )
    expect(await stage.host(20)).toBe(0)
    const told = stage
      .seen()
      .map(({ id, prompt }) => [id, prompt.includes('Instruction from the user: use the keyring')])
    expect(told).toEqual([
      ['A', false],
      ['A', false],
      ['B', true],
      ['B', true],
    ])
  })

  it.each([
    [['approve', 'Z'], 'there is no story Z; the list has A'],
    [['reject', 'Z'], 'there is no story Z; the list has A'],
  ])('%j is refused, and nothing changes', async ([verb, id], why) => {
    const stage = await leftForYou()
    const before = [stage.journal(), stage.read('ralph/tasks.json')]
    const ran = await stage.ralph(verb!, stage.id, id!)
    expect([ran.code, ran.stderr]).toEqual([2, `ralph: error: ${why}\n`])
    expect([stage.journal(), stage.read('ralph/tasks.json')]).toEqual(before)
  })
})

describe('a decision while the run is at work', () => {
  const decide = (action: string, id: string) => ({ type: 'todo', request: { action, story: id } }) as const

  it('wins over the agent that works on the story, and blames no agent', async () => {
    const stage = hostStories({ stories: [story('A'), story('B'), story('C')], verify: ['true'] })
    const code = await stage.host(20, (event, { send }) => {
      if (event.type !== 'spawned' || event.id !== 3) return
      send(decide('approve', 'B'))
      send(decide('approve', 'C'))
      send(decide('reject', 'A'))
    })
    expect(code).toBe(0)
    expect(called(stage)).toBe('implement A, review A, implement B, review-fix A, review A')
    expect(stage.file().userStories.map(({ passes }) => passes)).toEqual([true, true, true])
    expect(stage.warned()).toEqual([])
  })

  it('while it waits is in the file for the next agent', async () => {
    const stage = hostStories({
      stories: [story('A'), story('B')],
      verify: ['true'],
      calls: [
        () => {
          throw new Error('no')
        },
      ],
    })
    const code = await stage.host(20, ({ type }, { send }) => {
      if (type !== 'waiting') return
      send(decide('approve', 'A'))
      send({ type: 'retry' })
    })
    expect(code).toBe(0)
    expect(called(stage, 1)).toBe('implement B, review B')
    expect(stage.seen()[1]!.file.userStories[0]).toMatchObject({ passes: true, reviewStatus: 'approved' })
  })

  it('is not needed for a blocked story that is told what to do: it goes on at once', async () => {
    const stage = hostStories(
      {
        stories: [story('A'), story('B')],
        verify: ['true'],
        calls: [null, "reject 'no tests'"],
        always: null,
      },
      { cap: 1 },
    )
    const code = await stage.host(20, (event, { send }) => {
      if (event.type === 'spawned' && event.id === 3) send({ type: 'tell', task: 'A', text: 'add the tests' })
    })
    expect(code).toBe(0)
    expect(called(stage)).toBe('implement A, review A, implement B, review-fix A, review A, review B')
    expect(stage.seen()[3]!.prompt).toContain('Instruction from the user: add the tests')
    expect(stage.warned()).toEqual([])
  })

  it('that cannot be read changes nothing', async () => {
    const stage = hostStories({ stories: [story('A')], verify: ['true'] })
    const code = await stage.host(20, (event, { send }) => {
      if (event.type === 'spawned' && event.id === 1) send({ type: 'todo', request: { action: 'approve' } })
    })
    expect(code).toBe(0)
    expect(stage.warned()).toEqual(['the list was not changed: the request could not be read'])
  })
})
