import { describe, expect, it } from 'vitest'
import { fold } from '../../src/core/evolve.ts'
import { done, World } from './world.ts'

describe('steering', () => {
  it('a pause lets the agent finish and its checks run, then nothing starts until it is resumed', async () => {
    const world = new World([{}, done], { checks: ['test'] })
    world.onCall = n => void (n === 1 && world.ask({ type: 'pause' }))
    let pausedAt = 0
    world.onIdle = () => {
      pausedAt = world.calls
      world.ask({ type: 'resume' })
    }
    expect(await world.host()).toMatchObject({ result: 'complete' })
    expect(pausedAt).toBe(1)
    expect(world.of('settled')[0]).toMatchObject({ end: 'ok' })
  })

  it('a cancel ends the agent now, costs no iteration, and finishes the run', async () => {
    const world = new World([{ hangs: true }])
    world.onCall = () => queueMicrotask(() => world.ask({ type: 'cancel' }))
    expect(await world.host()).toMatchObject({ type: 'finished', result: 'cancelled' })
    expect(world.stopped).toBe(1)
    expect(fold(world.journal).state).toMatchObject({ n: 0, flight: {} })
  })

  it('a cancel while checks run ends them, too', async () => {
    const world = new World([done], { checks: ['test', 'lint'] })
    world.onEvent = event =>
      void (event.type === 'checking' && event.id !== null && world.ask({ type: 'cancel' }))
    expect(await world.host()).toMatchObject({ type: 'finished', result: 'cancelled' })
    expect(fold(world.journal).state.flight).toEqual({})
  })

  it('what is cancelled ends, though somebody asks it to pause at the same time', async () => {
    const world = new World([{}, done])
    world.onCall = () => {
      world.ask({ type: 'cancel' })
      world.ask({ type: 'pause' })
    }
    expect(await world.host()).toMatchObject({ type: 'finished', result: 'cancelled' })
  })

  it('another limit of iterations holds from the next decision on, and is on record', async () => {
    const world = new World([{}, {}, {}, done], { limits: { iterations: 2, usd: 5 } })
    world.onCall = n => void (n === 2 && world.ask({ type: 'limit', iterations: 3 }))
    expect(await world.host()).toMatchObject({ result: 'exhausted' })
    expect(world.calls).toBe(3)
    expect(world.of('limits')).toMatchObject([{ limits: { iterations: 3, usd: 5 } }])
  })

  it('an instruction is on record and stands in the state from then on', async () => {
    const world = new World([{}, {}, done])
    world.onCall = n => void (n === 1 && world.ask({ type: 'tell', text: 'Use the new API' }))
    await world.host()
    expect(fold(world.journal).state.instructions).toEqual(['Use the new API'])
  })

  it('a request about the list is the workflow’s to read, and its edit is on record under the request’s name', async () => {
    const world = new World([{}, done, done])
    const added = { id: 'q', title: 'q', blockedBy: [] }
    const asked: unknown[] = []
    world.onRequest = request => {
      const { tasks, state } = fold(world.journal)
      asked.push(request, tasks.length, Object.keys(state.flight).length)
      return { list: { add: [{ task: added, after: 'p' }] } }
    }
    world.onCall = n => void (n === 1 && world.ask({ type: 'todo', request: ['whatever', 7] }))
    expect(await world.host()).toMatchObject({ result: 'complete' })
    expect(asked).toEqual([['whatever', 7], 1, 1])
    expect(world.of('edited')).toMatchObject([
      { by: 'person', list: { add: [{ task: added }] }, request: '1' },
    ])
    expect(fold(world.journal).tasks.map(({ id }) => id)).toEqual(['p', 'q'])
  })

  it.each([
    ['that the workflow refuses', () => ({ error: 'there is no task #9' }), 'there is no task #9'],
    ['where the workflow takes none', undefined, 'this run takes no requests about it'],
  ])('a request about the list %s changes nothing, and the answer is a warning', async (_, answer, why) => {
    const world = new World([{}, done])
    if (answer) world.onRequest = answer
    world.onCall = n => void (n === 1 && world.ask({ type: 'todo', request: {} }))
    expect(await world.host()).toMatchObject({ result: 'complete' })
    expect(world.of('warned').map(({ note }) => note)).toEqual([`the list was not changed: ${why}`])
    expect(world.of('edited')).toEqual([])
  })

  it('a request to retry cuts a wait short', async () => {
    const world = new World([{ result: { ok: false, error: 'broken' } }, done])
    const before = world.clock.now()
    world.onEvent = event =>
      void (event.type === 'waiting' && queueMicrotask(() => world.ask({ type: 'retry' })))
    expect(await world.host()).toMatchObject({ result: 'complete' })
    expect(world.clock.now() - before).toBeLessThan(1000)
  })

  it('a signal ends a paused run', async () => {
    const world = new World([{}])
    world.onCall = () => world.ask({ type: 'pause' })
    world.onIdle = () => world.soft.abort()
    expect(await world.host()).toMatchObject({ type: 'stopped', interrupted: true })
  })
})
