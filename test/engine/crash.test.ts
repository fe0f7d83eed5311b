import { describe, expect, it } from 'vitest'
import { fold } from '../../src/core/evolve.ts'
import { isUncounted } from '../../src/core/outcome.ts'
import { type Act, done, World } from './world.ts'

/** Red, then failing, then empty, then limited by nothing, then done: every kind of ending on the way. */
const ACTS: Act[] = [
  { red: ['test'] },
  { result: { ok: false, error: 'broken' } },
  { result: { text: '' } },
  {},
  done,
]

const make = () => {
  const world = new World(ACTS, { checks: ['test', 'lint'] })
  return world
}

/** What must not depend on how often the power went. */
const essence = (world: World) => {
  const { state } = fold(world.journal)
  const { taskStates, n, flight, unapplied } = state
  return { stage: taskStates.p?.stage, proof: taskStates.p?.proof, n, flight, unapplied }
}

describe('after a power cut', () => {
  it('at any boundary, a resumed run comes to the same end as an uninterrupted one', async () => {
    const whole = make()
    const ending = await whole.host()
    expect(whole.boundaries).toBeGreaterThan(60)
    for (let cut = 1; cut <= whole.boundaries; cut++) {
      const world = make()
      expect(await world.hostThrough([cut]), `cut at ${cut}`).toMatchObject({
        ...ending,
        why: expect.any(String),
      })
      expect(essence(world), `cut at ${cut}`).toEqual(essence(whole))
      const settled = world.journal.filter(e => e.type === 'settled').map(e => e.id)
      expect(new Set(settled).size, 'nothing is settled twice').toBe(settled.length)
      expect(
        world.applied.toSorted((a, b) => a - b),
        'everything settled is applied',
      ).toEqual([...settled].sort((a, b) => a - b))
    }
  })

  it('an iteration that was paid for is not paid again', async () => {
    const whole = make()
    await whole.host()
    for (let cut = 1; cut <= whole.boundaries; cut++) {
      const world = make()
      await world.hostThrough([cut])
      const paidFor = world.journal.filter(e => e.type === 'ended').length
      const lost = world.journal.filter(e => e.type === 'settled' && e.end === 'interrupted').length
      // An empty answer is tried again, and after a resume as often as at first.
      const retried = world.journal.filter(
        e => e.type === 'settled' && e.end === 'empty' && isUncounted(e),
      ).length
      expect(paidFor - retried, `cut at ${cut}`).toBe(ACTS.length)
      expect(world.calls - paidFor, `cut at ${cut}`).toBeLessThanOrEqual(lost)
    }
  })

  it('the processes of the lost iteration are reaped before anything else starts', async () => {
    const world = new World([done])
    world.cutAfter = { type: 'spawned', times: 1 }
    await world.hostThrough([Number.POSITIVE_INFINITY])
    const spawned = world.journal.filter(e => e.type === 'spawned')
    const lost = world.journal.find(e => e.type === 'settled' && e.end === 'interrupted')
    expect(lost).toBeDefined()
    expect(world.reaped).toEqual([spawned[0]!.ref.pid])
    expect(spawned).toHaveLength(2)
  })

  it('again and again on one task, the task is blocked', async () => {
    const world = new World([done])
    world.cutAfter = { type: 'spawned', times: 3 }
    const forever = Array.from({ length: 3 }, () => Number.POSITIVE_INFINITY)
    await expect(world.hostThrough(forever)).resolves.toMatchObject({ result: 'blocked' })
    expect(fold(world.journal).state.taskStates.p).toMatchObject({
      crashes: 3,
      why: 'interrupted 3 times in a row',
    })
  })
})
