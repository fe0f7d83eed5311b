import { describe, expect, it } from 'vitest'
import { isTruth, type RunEvent } from '../../src/core/events.ts'
import { evolve, evolveList, fold } from '../../src/core/evolve.ts'
import { initial } from '../../src/core/table.ts'
import { buildTable } from '../../src/workflows/build/table.ts'
import { runTable } from '../../src/workflows/run/spec.ts'
import { doneByPerson } from '../../src/workflows/shared/list-edit.ts'
import { LIMITS, ok, play, red, task, trouble } from './play.ts'

describe('the state', () => {
  it('adds up what every call cost', () => {
    const run = play(runTable(), [task('p')])
    const usage = { input: 100, output: 20, cacheRead: 60, cacheWrite: 5 }
    for (const costUsd of [0.25, 0.5]) {
      const { id } = run.begin()
      const result = { type: 'ended', ok: true, text: 'x', usage, costUsd } as const
      run.record({
        type: 'ended',
        at: 1,
        id,
        how: 'exited',
        exit: { code: 0, signal: null },
        ms: 5,
        result,
        stoppedByRalph: false,
      })
      expect(run.state.flight[id]!.ended).toMatchObject({ how: 'exited', result })
      run.land(id, ok())
    }
    expect(run.state.spent).toEqual({ usd: 0.75, tokens: 240 })
  })

  it('knows which process works on a step, and what is settled but not applied', () => {
    const run = play(runTable(), [task('p')])
    const { id } = run.begin()
    const ref = { pid: 7, startTime: '1', host: 'h' }
    run.record({ type: 'spawned', at: 1, id, ref })
    expect(run.state.flight[id]!.ref).toEqual(ref)
    run.land(id, ok())
    expect(Object.keys(run.state.flight)).toEqual([])
    expect(run.state.unapplied[id]).toMatchObject({ task: 'p', move: 'more' })
    run.record({ type: 'applied', at: 1, id })
    expect(run.state.unapplied).toEqual({})
  })

  it('ignores what is told of a step that is not under way', () => {
    const ref = { pid: 7, startTime: '1', host: 'h' }
    expect(evolve(initial, { type: 'spawned', at: 1, id: 9, ref })).toBe(initial)
  })

  it('begins to count failures and waits anew when a person comes back, but keeps what was done', () => {
    const run = play(runTable(), [task('p')])
    run.step(ok())
    run.step(trouble('error'))
    run.step({ end: 'limited', note: '' })
    run.record({ type: 'resumed', at: 9_000_000, limits: LIMITS })
    expect(run.state).toMatchObject({
      n: 2,
      steps: 3,
      streaks: {},
      waits: {},
      limitedSince: null,
      pauses: {},
      until: {},
    })
  })

  it('does not give a new task what an old one with its name had', () => {
    const run = play(buildTable(), [task('#1'), task('#2')])
    run.record({ type: 'edited', at: 1, by: 'person', state: { '#1': doneByPerson(run.at('#1')) } })
    run.record({ type: 'edited', at: 1, by: 'person', list: { remove: ['#1'] } })
    run.record({ type: 'edited', at: 1, by: 'agent', list: { add: [{ task: task('#1'), after: null }] } })
    expect(run.at('#1').stage).toBe('work')
    expect(run.state.added).toBe(1)
  })
})

describe('the list', () => {
  it('is the same after the same event again', () => {
    const run = play(buildTable(), [task('#1'), task('#2')])
    const event = run.step(ok({ findings: [red] })) as RunEvent
    expect(evolveList(run.tasks, event)).toEqual(run.tasks)
  })

  it('takes ids that every object has a meaning for', () => {
    const run = play(buildTable(), [task('__proto__'), task('constructor')])
    run.step(ok({ findings: [red] }))
    expect(run.tasks.map(t => [t.id, t.blockedBy])).toEqual([
      ['__proto__', ['__proto__-bug-1']],
      ['__proto__-bug-1', []],
      ['constructor', []],
    ])
  })
})

it('a journal read back tells the same state and list', () => {
  const run = play(buildTable(), [task('#1')])
  const began: RunEvent = {
    type: 'began',
    at: 1000,
    v: 2,
    id: 'r',
    project: '/',
    workflow: 'build',
    limits: LIMITS,
    tasks: [task('#1')],
    pins: {},
  }
  const started: RunEvent = { type: 'started', at: 1000, id: 1, task: '#1', stage: 'work', agent: 'a', n: 1 }
  const settled = run.step(ok({ findings: [red] })) as RunEvent
  const journal = [began, started, settled].map(event => JSON.parse(JSON.stringify(event)) as RunEvent)
  expect(fold(journal)).toEqual({ state: run.state, tasks: run.tasks })
})

it('what only passes by does not belong in the journal', () => {
  const event: RunEvent = { type: 'waiting', at: 1, until: 2, why: '' }
  expect(isTruth(event)).toBe(false)
  expect(evolve(initial, event)).toBe(initial)
  expect(isTruth({ type: 'warned', at: 1, note: '' })).toBe(true)
})
