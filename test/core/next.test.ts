import { describe, expect, it } from 'vitest'
import { buildTable } from '../../src/workflows/build/table.ts'
import { pipelineTable } from '../../src/workflows/pipeline/table.ts'
import { runTable } from '../../src/workflows/run/spec.ts'
import { storiesTable } from '../../src/workflows/stories/table.ts'
import { green, LIMITS, ok, play, red, task, trouble } from './play.ts'

const MINUTE = 60_000

/** Fails so many times, each after the pause of the one before. */
function failOn(run: ReturnType<typeof play>, times: number): void {
  for (let n = 0; n < times; n++) {
    run.pass(300_000)
    run.step(trouble('error'))
  }
}

describe('what is worked on next', () => {
  it('is the first task of the list that waits for nothing', () => {
    const run = play(buildTable(), [task('#1', { blockedBy: ['#2'] }), task('#2'), task('#3')])
    expect(run.decide()).toMatchObject({ type: 'work', task: { id: '#2' }, stage: 'work', agent: 'a' })
    run.step(ok({ findings: [green] }))
    expect(run.decide()).toMatchObject({ task: { id: '#1' } })
  })

  it('is a fix before a review before something new, then by priority, then by place', () => {
    const run = play(storiesTable(), [
      task('A', { priority: 2 }),
      task('B', { priority: 1 }),
      task('C', { priority: 1 }),
    ])
    const submit = ok({ signal: true, findings: [green] })
    expect(run.step(submit).task).toBe('B')
    expect(run.step(ok({ verdict: 'reject', note: 'no' }))).toMatchObject({ task: 'B', stage: 'review' })
    expect(run.step(submit)).toMatchObject({ task: 'B', stage: 'fix' })
    expect(run.step(ok({ verdict: 'approve' }))).toMatchObject({ task: 'B', stage: 'review' })
    expect(run.step(submit).task).toBe('C')
    expect(run.step(ok({ verdict: 'approve' })).task).toBe('C')
    expect(run.step(submit).task).toBe('A')
  })

  it('is a fix or a review before something new of higher priority', () => {
    const run = play(storiesTable(), [task('A', { priority: 1 }), task('B', { priority: 2 })])
    const stand = (stage: string) =>
      run.record({ type: 'edited', at: 0, by: 'person', state: { B: { ...run.at('B'), stage } } })
    for (const stage of ['review', 'fix']) {
      stand(stage)
      expect(run.decide()).toMatchObject({ task: { id: 'B' }, stage })
    }
    stand('implement')
    expect(run.decide()).toMatchObject({ task: { id: 'A' } })
  })

  it('is as many tasks at a time as there is width for, one step each', () => {
    const run = play(buildTable({ parallel: 2 }), [task('#1'), task('#2'), task('#3')])
    expect([run.begin().task, run.begin().task]).toEqual(['#1', '#2'])
    expect(run.decide()).toEqual({ type: 'busy' })
    run.land(1, ok({ findings: [green] }))
    expect(run.decide()).toMatchObject({ type: 'work', task: { id: '#1' }, stage: 'merge', agent: null })
  })

  it('is a merge on top of those, one at a time, and none while a conflict is resolved', () => {
    const list = ['#1', '#2', '#3', '#4'].map(id => task(id))
    const run = play(buildTable({ parallel: 2 }), list)
    const begin = () => {
      const { task, stage } = run.begin()
      return `${task} ${stage}`
    }
    expect([begin(), begin()]).toEqual(['#1 work', '#2 work'])
    run.land(1, ok({ findings: [green] }))
    expect([begin(), begin()]).toEqual(['#1 merge', '#3 work'])
    run.land(2, ok({ findings: [green] }))
    expect([begin(), run.decide()]).toEqual(['#4 work', { type: 'busy' }])
    // All places are taken, and #2 is merged all the same.
    run.land(3, ok({ findings: [green] }))
    expect([begin(), run.decide()]).toEqual(['#2 merge', { type: 'busy' }])
    run.land(6, ok({ findings: [red] }))
    run.land(4, ok({ findings: [green] }))
    expect([begin(), run.decide()]).toEqual(['#2 resolve', { type: 'busy' }])
    run.land(7, ok({ findings: [green] }))
    expect([begin(), run.decide()]).toEqual(['#2 merge', { type: 'busy' }])
  })
})

describe('a run', () => {
  it('is complete when all is done, and verified when all was green', () => {
    const run = play(runTable(), [task('p')])
    run.step(ok({ signal: true, findings: [green] }))
    expect(run.decide()).toEqual({ type: 'finish', result: 'complete', proof: 'verified', why: 'complete' })
  })

  it('is only claimed to be complete when nothing could be checked', () => {
    const run = play(runTable(), [task('p')])
    run.step(ok({ signal: true }))
    expect(run.decide()).toMatchObject({ result: 'complete', proof: 'claimed' })
  })

  it('is only claimed to be complete when one of its tasks was not checked', () => {
    const run = play(buildTable(), [task('#1'), task('#2')])
    run.step(ok({ findings: [green] }))
    run.step(ok())
    expect(run.decide()).toMatchObject({ proof: 'claimed', why: '#2: nothing verified it' })
  })

  it('names what a person closed, and not what nothing else verified either', () => {
    const closed = { stage: 'done', proof: false, why: 'skipped by a person' }
    const run = play(buildTable(), [task('#1'), task('#2'), task('#3')])
    run.record({ type: 'edited', at: 0, by: 'person', state: { '#3': { ...run.at('#3'), ...closed } } })
    run.step(ok({ findings: [green] }))
    run.step(ok({ findings: [green] }))
    expect(run.decide()).toMatchObject({ proof: 'claimed', why: '#3: skipped by a person' })

    const unchecked = play(buildTable(), [task('#1'), task('#2')])
    unchecked.step(ok())
    unchecked.step(ok())
    expect(unchecked.decide()).toMatchObject({ proof: 'claimed', why: 'complete' })
  })

  it('of an empty list is never complete', () => {
    expect(play(storiesTable(), []).decide()).toEqual({
      type: 'finish',
      result: 'blocked',
      proof: null,
      why: 'the list is empty',
    })
  })

  it('of a list that was planned and then emptied is not complete either', () => {
    const run = play(buildTable(), [task('plan', { first: 'decompose' })])
    run.step(ok({ findings: [green] }))
    expect(run.decide()).toMatchObject({ result: 'blocked', proof: null, why: 'the list is empty' })
  })

  it('that can go no further says what waits for what', () => {
    const run = play(buildTable({ bugs: 0 }), [
      task('#1'),
      task('#2', { blockedBy: ['#1'] }),
      task('#3', { blockedBy: ['#2', 'gone'] }),
      task('#4'),
    ])
    run.step(ok({ findings: [red] }))
    run.step(ok({ findings: [green] }))
    expect(run.decide()).toMatchObject({
      result: 'blocked',
      why: '#1: still red after 0 bug fixes: npm test; #2 waits for #1; #3 waits for #2, gone, which does not exist',
    })
  })

  it('names five that wait, and how many more', () => {
    const list = ['#1', '#2', '#3', '#4', '#5', '#6', '#7'].map(id => task(id, { blockedBy: ['x'] }))
    const decision = play(buildTable(), list).decide()
    expect(decision).toMatchObject({
      why: expect.stringMatching(/^#1 waits for x, which does not exist; #2 .*#5 [^#]*; and 2 more$/),
    })
  })

  it('of one task does not name it', () => {
    const run = play(runTable(), [task('p')])
    for (let i = 0; i < 3; i++) run.step(ok({ findings: [red], changed: false }))
    expect(run.decide()).toMatchObject({
      result: 'blocked',
      why: 'stuck: 3 iterations changed nothing and npm test stayed red',
    })
  })

  it('ends after so many iterations, with those under way counted', () => {
    const run = play(buildTable({ parallel: 3 }), [task('#1'), task('#2'), task('#3')], {
      ...LIMITS,
      iterations: 2,
    })
    run.begin()
    run.begin()
    expect(run.decide()).toEqual({ type: 'busy' })
    run.land(1, trouble('interrupted'))
    expect(run.decide()).toMatchObject({ type: 'work' })
    run.land(2, ok())
    run.step(ok())
    // What was paid for is merged, one task at a time: that costs no iteration.
    run.begin()
    expect(run.decide()).toEqual({ type: 'busy' })
    run.land(4, ok())
    expect(run.decide()).toMatchObject({ type: 'work', stage: 'merge' })
    run.step(ok())
    expect(run.decide()).toMatchObject({
      type: 'finish',
      result: 'exhausted',
      why: 'all 2 iterations are used',
    })
  })

  it('lets what is under way finish before it holds, stops or ends', () => {
    const run = play(buildTable({ parallel: 2 }), [task('#1'), task('#2')])
    run.begin()
    run.record({ type: 'control', at: run.now, hold: 'pause' })
    expect(run.decide()).toEqual({ type: 'busy' })
    run.land(1, ok())
    expect(run.decide()).toEqual({ type: 'pause' })
    run.record({ type: 'control', at: run.now, hold: 'stop' })
    expect(run.decide()).toEqual({ type: 'finish', result: 'cancelled', proof: null, why: 'cancelled' })
  })

  it('fails after failures in a row, and a good iteration begins the count anew', () => {
    const run = play(runTable(), [task('p')])
    for (const end of ['error', 'timeout', 'error', 'timeout'] as const) run.step(trouble(end))
    run.step(ok())
    for (let i = 0; i < 5; i++) run.step(trouble('error'))
    expect(run.decide()).toMatchObject({ result: 'failures', why: '5 consecutive failures, stopping loop' })
  })

  it('that failed can be resumed, and may fail as often again', () => {
    const run = play(runTable(), [task('p')])
    for (let i = 0; i < 5; i++) run.step(trouble('error'))
    run.record({ type: 'resumed', at: run.now, limits: LIMITS })
    expect(run.decide()).toMatchObject({ type: 'work' })
    run.step(trouble('error'))
    expect(run.state.streaks).toMatchObject({ p: { a: { failures: 1 } } })
  })

  it('leaves a task that its agent fails at, if the agent does well elsewhere', () => {
    const run = play(buildTable({ parallel: 2 }), [task('#1'), task('#2'), task('#3')])
    const first = run.begin().id
    const second = run.begin().id
    run.land(first, trouble('error'))
    run.land(second, ok({ findings: [green] }))
    // Its pause keeps no other task from going on.
    expect(run.decide()).toMatchObject({ type: 'work', task: { id: '#2' }, stage: 'merge' })
    run.step(ok())
    const third = run.begin().id
    failOn(run, 4)
    expect(run.decide()).toEqual({ type: 'busy' })
    run.land(third, ok({ findings: [green] }))
    run.step(ok())
    expect(run.decide()).toMatchObject({ result: 'failures', why: '#1: 5 consecutive failures' })
  })

  it('stops if an agent fails and did nothing well meanwhile, whatever else there is to do', () => {
    const run = play(buildTable({ parallel: 2 }), [task('#1'), task('#2'), task('#3')])
    const [first, second] = [run.begin().id, run.begin().id]
    run.land(first, trouble('error'))
    failOn(run, 4)
    // Until the other one has landed nobody knows.
    expect(run.decide()).toEqual({ type: 'busy' })
    run.land(second, trouble('error'))
    expect(run.decide()).toMatchObject({ result: 'failures', why: '5 consecutive failures, stopping loop' })
  })

  it('stops as well if what an agent did well elsewhere came before its failures', () => {
    const run = play(buildTable({ parallel: 2 }), [task('#1'), task('#2'), task('#3')])
    const [first, second] = [run.begin().id, run.begin().id]
    run.land(first, trouble('inactive', true))
    run.land(second, ok({ findings: [green] }))
    run.step(ok())
    failOn(run, 5)
    expect(run.decide()).toMatchObject({ result: 'failures', why: '5 consecutive failures, stopping loop' })
  })

  it('looks again when the pause of a task is over, while another is in flight', () => {
    const run = play(buildTable({ parallel: 2 }), [task('#1'), task('#2'), task('#3')])
    const first = run.begin().id
    run.begin()
    run.land(first, trouble('error'))
    expect(run.decide()).toEqual({ type: 'busy', until: run.now + 1000 })
  })

  it('counts for each agent by itself', () => {
    const run = play(runTable(), [task('p')], LIMITS, ['a', 'b'])
    for (let i = 0; i < 4; i++) run.step(trouble('error'))
    run.step({ end: 'limited', note: '' })
    for (let i = 0; i < 4; i++) run.step(trouble('error'))
    expect(run.decide()).toMatchObject({ type: 'wait' })
    expect(run.state.streaks).toMatchObject({ p: { a: { failures: 4 }, b: { failures: 4 } } })
  })

  it('waits after a failure, but not to merge', () => {
    const run = play(buildTable({ parallel: 2 }), [task('#1'), task('#2')])
    run.begin()
    run.begin()
    run.land(1, ok({ findings: [green] }))
    run.land(2, trouble('error'))
    expect(run.decide()).toMatchObject({ type: 'work', task: { id: '#1' }, stage: 'merge' })
    run.step(ok())
    expect(run.decide()).toEqual({ type: 'wait', until: run.now + 1000, why: 'after a failure' })
  })
})

describe('an agent that the service turns away', () => {
  const turnedAway = { end: 'unusable', note: 'Invalid API key' } as const

  it('ends the run at once, at no cost of an iteration or a failure', () => {
    const run = play(runTable(), [task('p')])
    run.step(turnedAway)
    expect(run.state).toMatchObject({ n: 0, streaks: {} })
    const why = 'a cannot be used: Invalid API key'
    expect(run.decide()).toEqual({ type: 'finish', result: 'unusable', proof: null, why })
  })

  it('gives way to the next for good', () => {
    const run = play(runTable(), [task('p')], LIMITS, ['a', 'b'])
    run.step(turnedAway)
    expect(run.decide()).toMatchObject({ agent: 'b' })
    run.step({ end: 'limited', note: 'limit' })
    expect(run.decide()).toMatchObject({ type: 'wait', why: 'b limited' })
    run.pass(MINUTE)
    run.step(turnedAway)
    const why = 'a cannot be used: Invalid API key; b cannot be used: Invalid API key'
    expect(run.decide()).toMatchObject({ result: 'unusable', why })
  })

  it.each([
    { type: 'resumed', at: 0, limits: LIMITS },
    { type: 'control', at: 0, hold: null },
  ] as const)('gets another chance when somebody goes on ($type)', event => {
    const run = play(runTable(), [task('p')])
    run.step(turnedAway)
    run.record(event)
    expect(run.decide()).toMatchObject({ type: 'work', agent: 'a' })
  })
})

describe('a limited agent', () => {
  const limited = { end: 'limited', note: 'limit' } as const

  it('is waited for, longer each time, and then no more', () => {
    const run = play(runTable(), [task('p')], { ...LIMITS, limitWaitMs: 20 * MINUTE })
    const began = run.now
    const waits: number[] = []
    run.step(limited)
    for (let d = run.decide(); d.type === 'wait' && waits.length < 9; run.step(limited), d = run.decide()) {
      expect(d.why).toBe('a limited')
      waits.push((d.until - run.now) / MINUTE)
    }
    expect(waits).toEqual([1, 2, 4, 8])
    const why = 'a is rate-limited for longer than maxLimitWait (20m0s)'
    expect(run.decide()).toMatchObject({ result: 'limited', why })
    expect(run.state.n).toBe(0)
    expect(run.now - began).toBe(15 * MINUTE)
  })

  it('is waited for until it says, and costs no iteration', () => {
    const run = play(runTable(), [task('p')], { ...LIMITS, iterations: 1 })
    run.step({ ...limited, resetsAt: run.now + 90 * MINUTE })
    expect(run.decide()).toEqual({ type: 'wait', until: run.now + 90 * MINUTE, why: 'a limited' })
    run.step(ok({ signal: true }))
    expect(run.decide()).toMatchObject({ result: 'complete' })
  })

  it('gives way to the next, and comes back', () => {
    const run = play(runTable(), [task('p')], LIMITS, ['a', 'b'])
    run.step(limited)
    expect(run.decide()).toMatchObject({ agent: 'b' })
    run.step(limited)
    expect(run.decide()).toMatchObject({ type: 'wait', until: run.now + MINUTE, why: 'a, b limited' })
    expect(run.begin().agent).toBe('a')
  })

  it('is left alone for longer each time, whatever others do meanwhile', () => {
    const run = play(runTable(), [task('p')], LIMITS, ['a', 'b'])
    const pauses: number[] = []
    for (let i = 0; i < 3; i++) {
      run.step(limited)
      pauses.push((run.state.until.a! - run.now) / MINUTE)
      while (run.state.until.a! > run.now) {
        run.step(ok())
        run.pass(MINUTE)
      }
    }
    expect(pauses).toEqual([1, 2, 4])
  })

  it('is not waited for longer than the run has time', () => {
    const run = play(runTable(), [task('p')], { ...LIMITS, ms: 10 * MINUTE })
    run.step({ ...limited, resetsAt: run.now + 90 * MINUTE })
    const end = run.now + 10 * MINUTE
    expect(run.decide()).toMatchObject({ type: 'wait', until: end })
    run.pass(end - run.now)
    expect(run.decide()).toMatchObject({ type: 'finish', result: 'budget' })
  })

  it('is waited for anew after an iteration that was not limited, even one that failed', () => {
    const run = play(runTable(), [task('p')], { ...LIMITS, limitWaitMs: 20 * MINUTE })
    run.step({ ...limited, resetsAt: run.now + 15 * MINUTE })
    run.pass(15 * MINUTE)
    run.step(trouble('error'))
    run.pass(MINUTE)
    run.step({ ...limited, resetsAt: run.now + 15 * MINUTE })
    expect(run.decide()).toMatchObject({ type: 'wait' })
  })

  it('is not waited for beyond the limit because another one worked meanwhile', () => {
    const run = play(pipelineTable({ roles: ['coder'] }), [task('1'), task('2')], LIMITS, ['a'])
    run.step({ ...limited, resetsAt: run.now + 7 * 24 * 60 * MINUTE })
    run.record({ type: 'settled', ...idle, patch: { limitedSince: null, waits: {} } })
    expect(run.decide()).toMatchObject({ type: 'finish', result: 'limited' })
  })

  it('that worked again since is not limited once more because the clock is set back', () => {
    const run = play(runTable(), [task('p')])
    run.step({ ...limited, resetsAt: run.now + 90 * MINUTE })
    run.step(ok())
    run.pass(-60 * MINUTE)
    expect(run.decide()).toMatchObject({ type: 'work', agent: 'a' })
  })

  it('is asked at once when a person steers', () => {
    const run = play(runTable(), [task('p')])
    run.step(limited)
    run.record({ type: 'control', at: run.now, hold: null })
    expect(run.decide()).toMatchObject({ type: 'work', agent: 'a' })
  })

  it('after a failure ends at once with a pause, and is not gone back to', () => {
    const run = play(runTable(), [task('p')])
    run.step(trouble('error'))
    expect(run.decide()).toMatchObject({ type: 'wait', why: 'after a failure' })
    run.record({ type: 'control', at: run.now, hold: 'pause' })
    expect(run.decide()).toEqual({ type: 'pause' })
    run.record({ type: 'control', at: run.now, hold: null })
    expect(run.decide()).toMatchObject({ type: 'work', agent: 'a' })
  })
})

/** The good end of somebody else's iteration. */
const idle = {
  at: 0,
  id: 99,
  task: 'other',
  stage: 'work',
  move: 'pass' as const,
  end: 'ok' as const,
  note: '',
  findings: [],
  state: play(runTable(), [task('p')]).at('p'),
  add: [],
  block: {},
}

it('a budget is checked between iterations, and the one that crosses it counts', () => {
  const run = play(runTable(), [task('p')], { ...LIMITS, usd: 1 })
  const ended = { how: 'exited', exit: { code: 0, signal: null }, ms: 1, stoppedByRalph: false } as const
  const result = { type: 'ended', ok: true, text: 'x', costUsd: 0.6 } as const
  for (const more of [true, false]) {
    const step = run.begin()
    run.record({ type: 'ended', at: run.now, id: step.id, ...ended, result })
    run.land(step.id, ok())
    expect(run.decide().type === 'work').toBe(more)
  }
  expect(run.state.n).toBe(2)
  expect(run.decide()).toMatchObject({ result: 'budget', why: '$1.20 of $1.00 are spent' })
})
