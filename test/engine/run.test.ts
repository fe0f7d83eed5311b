import { setImmediate as turn } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { describe, expect, it } from 'vitest'
import type { AgentEvent } from '../../src/core/events.ts'
import { fold, stoppedCleanly } from '../../src/core/evolve.ts'
import { CannotGoOn } from '../../src/core/ports.ts'
import { buildTable } from '../../src/workflows/build/table.ts'
import { type Act, done, World } from './world.ts'

describe('the loop', () => {
  it('goes through the ten steps in their order', async () => {
    const world = new World([done])
    await world.host()
    expect(world.types()).toEqual(['began', 'started', 'spawned', 'ended', 'settled', 'applied', 'finished'])
  })

  it('leaves nothing in memory when it is over', async () => {
    const host = async () => {
      const world = new World([{}, done])
      await world.host()
      return new WeakRef(world)
    }
    const over = await host()
    setFlagsFromString('--expose-gc')
    const collect = runInNewContext('gc') as () => void
    setFlagsFromString('--no-expose-gc')
    for (let tries = 0; tries < 10 && over.deref(); tries++) {
      await turn()
      collect()
    }
    expect(over.deref()).toBeUndefined()
  })

  it('ends as claimed when nothing could verify it, as verified when checks were green', async () => {
    const claimed = new World([done])
    expect(await claimed.host()).toMatchObject({ result: 'complete', proof: 'claimed' })
    const verified = new World([done], { checks: ['test'] })
    expect(await verified.host()).toMatchObject({ result: 'complete', proof: 'verified' })
  })

  it('does not believe an agent that says it is done while a check is red, and tells the next one', async () => {
    const world = new World([{ ...done, red: ['test'] }, done], { checks: ['test'] })
    expect(await world.host()).toMatchObject({ result: 'complete' })
    expect(world.prompts).toEqual(['carry:', 'carry:test'])
  })

  it('goes on when it is resumed with a higher limit, and the journal tells of both', async () => {
    const world = new World([{}, {}, {}, done], { limits: { iterations: 2 } })
    expect(await world.host()).toMatchObject({ result: 'exhausted' })
    expect(fold(world.journal).state.limits.iterations).toBe(2)
    expect(await world.host({ iterations: 4 })).toMatchObject({ result: 'complete' })
    expect(fold(world.journal).state).toMatchObject({ n: 4, limits: { iterations: 4 } })
  })

  it('runs the checks once before the first iteration, and says of a red one that it was red before', async () => {
    const world = new World([{ red: ['test'] }, done], { checks: ['test'] })
    await world.host()
    expect(world.types().slice(0, 3)).toEqual(['began', 'baseline', 'started'])
    expect(world.of('settled')[0]!.findings[0]!.note).toBe('test is red')
    const red = new World([{ red: ['test'] }, { red: ['test'] }, done], { checks: ['test'] })
    red.before = { red: ['test'] }
    await red.host()
    expect(red.of('settled')[0]!.findings[0]!.note).toBe('test is red\nIt was already red before the run.')
  })

  it('runs no checks after an agent that failed, waits longer each time, and gives up after five', async () => {
    const world = new World([{ result: { ok: false, error: 'broken' } }], { checks: ['test'] })
    expect(await world.host()).toMatchObject({ result: 'failures' })
    expect(world.calls).toBe(5)
    expect(world.of('checked').filter(e => e.id !== null)).toEqual([])
    expect(world.of('waiting').map(e => e.until - e.at)).toEqual([1000, 2000, 4000, 8000])
  })

  it.each([
    ['an error', { result: { ok: false, error: 'broken' } }, 'error'],
    ['a bad exit after a good word', { exit: { code: 3, signal: null } }, 'error'],
    ['an empty answer', { result: { text: ' ' } }, 'empty'],
    ['a limit', { events: [{ type: 'limited', note: '429' }], result: { ok: false } }, 'limited'],
    ['silence', { hangs: true }, 'inactive'],
    [
      'an iteration without end',
      { hangs: true, events: [{ type: 'tool', id: '1', name: 'Bash', summary: 'make' }] },
      'timeout',
    ],
  ] satisfies [string, Act, string][])('runs no checks after %s', async (_, act, end) => {
    const acts: Act[] = [act]
    const world = new World(acts, { checks: ['test'] })
    world.onCall = n => void (n === 2 && acts.splice(0, 1, done))
    expect(await world.host()).toMatchObject({ result: 'complete', proof: 'verified' })
    expect(world.of('settled').map(e => e.end)).toEqual([end, 'ok'])
    expect(world.of('checked').filter(e => e.id !== null)).toHaveLength(1)
  })

  it('counts failures in a row: a good iteration begins anew', async () => {
    const broken = { result: { ok: false, error: 'broken' } }
    const world = new World([broken, broken, {}, broken, broken, done], { limits: { failures: 3 } })
    expect(await world.host()).toMatchObject({ result: 'complete' })
    expect(world.of('waiting').map(e => e.until - e.at)).toEqual([1000, 2000, 1000, 2000])
  })

  it('ends a run of silent iterations that changed nothing, but not of those that did', async () => {
    const still = new World([{ hangs: true, edits: false }], { limits: { failures: 2 }, checks: ['test'] })
    expect(await still.host()).toMatchObject({ result: 'inactive' })
    expect(still.calls).toBe(2)
    const busy = new World([{ hangs: true }], { limits: { failures: 2, iterations: 4 }, checks: ['test'] })
    expect(await busy.host()).toMatchObject({ result: 'exhausted' })
  })

  it('that meets trouble nobody expected is thrown on, and on record for whoever asks', async () => {
    const world = new World([done])
    world.onEvent = event => {
      if (event.type === 'agent') throw new Error('ENOTDIR: not a directory\nat some place')
    }
    await expect(world.host()).rejects.toThrow('ENOTDIR')
    expect(world.journal.at(-1)).toMatchObject({ type: 'stopped', why: 'ENOTDIR: not a directory' })
    expect(stoppedCleanly(world.journal)).toBe(false)
  })

  it('counts an agent that cannot be started as a failure, in its own words', async () => {
    const world = new World([{ startError: 'cannot start claude: not found' }])
    expect(await world.host()).toMatchObject({ result: 'failures' })
    expect(world.of('settled')[0]).toMatchObject({ end: 'error', note: 'cannot start claude: not found' })
  })

  it('ends an agent whose screen stands still, and checks its work', async () => {
    const claims = { type: 'ended', ok: false, text: 'DONE' } as const
    const world = new World([{ hangs: true, screen: [10_000, 50_000], result: claims }, done], {
      checks: ['test'],
    })
    expect(await world.host()).toMatchObject({ result: 'complete', proof: 'verified' })
    expect(world.of('ended')[0]).toMatchObject({ ms: 110_000, how: 'inactive', watched: 'screen' })
    expect(world.of('spawned')[0]).toMatchObject({ watched: 'screen' })
    // It ended well, but what it said last is no signal.
    expect(world.of('settled').map(e => [e.end, e.move, e.findings.length])).toEqual([
      ['ok', 'more', 1],
      ['ok', 'pass', 1],
    ])
    expect(world.of('settled')[0]!.patch).toMatchObject({ n: 1, failures: 0 })
  })

  it('gives a screen on which nothing was printed as long as a silent stream', async () => {
    const world = new World([{ hangs: true, screen: [] }, done])
    await world.host()
    expect(world.of('ended')[0]).toMatchObject({ ms: 300_000, how: 'inactive' })
    expect(world.of('settled')[0]).toMatchObject({ end: 'ok' })
  })

  it('waits for an agent that prints nothing, as long as it writes to a log of its own', async () => {
    const world = new World([{ hangs: true, screen: [1], writesFor: 500_000 }, done])
    await world.host()
    expect(world.of('ended')[0]).toMatchObject({ ms: 560_000, how: 'inactive' })
  })

  it('waits for an agent whose hooks speak, with the patience that its screen asks for', async () => {
    const printed = new World([{ hangs: true, screen: [1], hooks: [40_000, 90_000] }, done])
    await printed.host()
    expect(printed.of('ended')[0]).toMatchObject({ ms: 150_000, how: 'inactive' })
    const mute = new World([{ hangs: true, screen: [], hooks: [200_000] }, done])
    await mute.host()
    expect(mute.of('ended')[0]).toMatchObject({ ms: 500_000, how: 'inactive' })
  })

  it('waits while a tool call is open of which only hooks told, for ten minutes and within its time', async () => {
    const open: AgentEvent = { type: 'tool', id: '1', name: 'Bash', summary: 'make', by: 'hooks' }
    const over: AgentEvent = { type: 'toolResult', id: '1', ok: true, output: '', by: 'hooks' }
    const failed = new World([{ hangs: true, screen: [1], events: [open] }, done])
    await failed.host()
    expect(failed.of('ended')[0]).toMatchObject({ ms: 600_001, how: 'inactive' })
    const closed = new World([
      { hangs: true, screen: [1], events: [open], later: [over], laterMs: 90_000 },
      done,
    ])
    await closed.host()
    expect(closed.of('ended')[0]).toMatchObject({ ms: 120_001, how: 'inactive' })
    const forged = Array.from({ length: 1000 }, (_, i) => ({ ...open, id: String(i) }))
    const endless = new World([{ hangs: true, screen: [1], later: forged, laterMs: 30_000 }, done])
    await endless.host()
    expect(endless.of('ended')[0]).toMatchObject({ ms: 7_200_000, how: 'timeout' })
  })

  it('ends a run of screens that stood still with nothing changed, but not of those with changes', async () => {
    const still = new World([{ hangs: true, screen: [1], edits: false }], { limits: { failures: 2 } })
    expect(await still.host()).toMatchObject({ result: 'inactive' })
    const busy = new World([{ hangs: true, screen: [1] }], { limits: { failures: 2, iterations: 4 } })
    expect(await busy.host()).toMatchObject({ result: 'exhausted' })
  })

  it('counts an agent whose place was taken away as interrupted, three of them in a row as too many', async () => {
    const lost = { exit: { code: null, signal: 'SIGHUP', lost: 'its window was closed' } } as const
    const acts: Act[] = [lost]
    const world = new World(acts)
    world.onCall = n => {
      if (n === 3) acts.splice(0, 1, done)
    }
    expect(await world.host()).toMatchObject({ result: 'complete' })
    expect(world.of('started').map(e => e.n)).toEqual([1, 1, 1])
    expect(world.of('settled').map(e => e.end)).toEqual(['interrupted', 'interrupted', 'ok'])
    expect(world.applied).toEqual([1, 2, 3])
    expect(world.of('settled')[0]!.note).toBe('its window was closed')

    const never = new World([lost])
    expect(await never.host()).toMatchObject({ result: 'blocked' })
    expect(never.of('started')).toHaveLength(3)
  })

  it('ends a silent agent, but not one with a tool call open', async () => {
    const silent = new World([{ hangs: true }, done])
    expect(await silent.host()).toMatchObject({ result: 'complete' })
    expect(silent.of('settled')[0]).toMatchObject({ end: 'inactive' })
    expect(silent.of('ended')[0]!.ms).toBe(300_000)

    const busy = new World([
      { hangs: true, events: [{ type: 'tool', id: '1', name: 'Bash', summary: 'make' }] },
      done,
    ])
    await busy.host()
    expect(busy.of('ended')[0]).toMatchObject({ how: 'timeout', ms: 7_200_000 })
  })

  it('ends an agent that was too late while it was still being started, as soon as it is there', async () => {
    const world = new World([{ hangs: true, startsAfter: 400_000 }, done])
    expect(await world.host()).toMatchObject({ result: 'complete' })
    expect(world.of('settled').map(e => e.end)).toEqual(['inactive', 'ok'])
    expect(world.stopped).toBe(1)
  })

  it('stops an agent that gave its result and stays, and counts it as ended well', async () => {
    const result = { type: 'ended' as const, ok: true, text: 'DONE' }
    const world = new World([{ hangs: true, events: [result] }])
    expect(await world.host()).toMatchObject({ result: 'complete' })
    expect(world.of('ended')[0]).toMatchObject({ how: 'exited', stoppedByRalph: true, ms: 10_000 })
    expect(world.stopped).toBe(1)
  })

  it('waits for background tasks, and for 10 s of rest after the last of them', async () => {
    const text = (text: string) => ({ type: 'text' as const, text })
    const world = new World([
      {
        hangs: true,
        later: [
          { type: 'background', open: 1 },
          text('It runs.'),
          { type: 'background', open: 0 },
          { type: 'answered' },
          text('It failed, on with it.'),
          { type: 'answered' },
        ],
        laterMs: 9000,
        result: { ok: true, text: 'DONE' },
      },
    ])
    expect(await world.host()).toMatchObject({ result: 'complete' })
    expect(world.of('ended')[0]).toMatchObject({ how: 'exited', stoppedByRalph: true, ms: 6 * 9000 + 10_000 })
  })

  it('ends an agent by the iteration timeout while a background task is open, not by silence', async () => {
    const world = new World([{ hangs: true, events: [{ type: 'background', open: 1 }] }, done])
    await world.host()
    expect(world.of('ended')[0]).toMatchObject({ how: 'timeout', ms: 7_200_000 })
  })

  it('does not count an answer after which the agent went on', async () => {
    const went = { type: 'text' as const, text: 'On with it.' }
    const world = new World([{ hangs: true, events: [{ type: 'answered' }, went] }, done])
    await world.host()
    expect(world.of('settled').map(e => e.end)).toEqual(['inactive', 'ok'])
  })

  it('ends an agent that the service turns away, and goes on with another if there is one', async () => {
    const turnedAway: Act = {
      hangs: true,
      events: [{ type: 'unusable', note: 'Invalid API key' }],
      result: { ok: false, error: 'Invalid API key' },
    }
    const world = new World([turnedAway])
    const why = 'a cannot be used: Invalid API key'
    expect(await world.host()).toMatchObject({ result: 'unusable', why })
    expect(world.of('ended')).toMatchObject([
      { stoppedByRalph: true, ms: 0, unusable: { note: 'Invalid API key' } },
    ])
    expect(world.of('waiting')).toEqual([])

    const acts = [turnedAway]
    const two = new World(acts, { agents: ['a', 'b'] })
    two.onCall = n => void (n === 2 && acts.splice(0, 1, done))
    expect(await two.host()).toMatchObject({ result: 'complete' })
    expect(two.of('started').map(e => [e.agent, e.n])).toEqual([
      ['a', 1],
      ['b', 1],
    ])
  })

  it('waits for a limit at no cost of iterations, and goes on with another agent if there is one', async () => {
    const limited = {
      events: [{ type: 'limited' as const, note: '429' }],
      result: { ok: false, error: '429' },
    }
    const acts = [limited]
    const world = new World(acts)
    world.onCall = n => void (n === 3 && acts.splice(0, 1, done as never))
    expect(await world.host()).toMatchObject({ result: 'complete' })
    expect(world.of('waiting').map(e => e.until - e.at)).toEqual([60_000, 120_000])
    expect(fold(world.journal).state.n).toBe(1)

    const others = [limited]
    const two = new World(others, { agents: ['a', 'b'] })
    two.onCall = n => void (n === 2 && others.splice(0, 1, done as never))
    await two.host()
    expect(two.of('waiting')).toEqual([])
    expect(two.of('started').map(e => e.agent)).toEqual(['a', 'b'])
  })

  it('works on several tasks at once where the table allows it', async () => {
    const list = ['1', '2', '3'].map(id => ({ id, title: id, blockedBy: [] }))
    const workflow = { ...buildTable({ parallel: 1 }), width: 2 }
    const world = new World([{}], { tasks: list, workflow, limits: { iterations: null } })
    expect(await world.host()).toMatchObject({ result: 'complete' })
    const before = world.types().slice(0, world.types().indexOf('ended'))
    expect(before.filter(type => type === 'started')).toHaveLength(2)
    expect(world.calls).toBe(3)
  })
})

describe('signals', () => {
  it('a soft one lets the agent finish, and its checks wait for the next incarnation', async () => {
    const world = new World([done], { checks: ['test'] })
    world.onCall = () => world.soft.abort()
    expect(await world.host()).toMatchObject({ type: 'stopped', interrupted: true })
    expect(world.types().slice(-2)).toEqual(['ended', 'stopped'])
    expect([world.left, stoppedCleanly(world.journal)]).toEqual([1, true])
    expect(world.stopped).toBe(0)
    world.soft = new AbortController()
    expect(await world.host()).toMatchObject({ result: 'complete', proof: 'verified' })
    expect(world.calls).toBe(1)
  })

  it('are obeyed even if nothing can be judged first, and the next incarnation knows', async () => {
    const world = new World([done])
    world.onCall = () => world.soft.abort()
    world.onLeave = () => {
      throw new Error('the disk is full')
    }
    expect(await world.host()).toMatchObject({ type: 'stopped', why: 'interrupted' })
    expect(stoppedCleanly(world.journal)).toBe(false)
  })

  it('a hard one ends the agent, costs no iteration and is no crash', async () => {
    const world = new World([{ hangs: true }])
    world.onCall = () => {
      world.soft.abort()
      queueMicrotask(() => world.hard.abort())
    }
    expect(await world.host()).toMatchObject({ type: 'stopped', interrupted: true })
    const { state } = fold(world.journal)
    expect(state).toMatchObject({ n: 0, flight: {}, taskStates: { p: { crashes: 0, interrupted: true } } })
    expect(world.stopped).toBe(1)
  })

  it('a soft one cuts a wait short', async () => {
    const world = new World([{ result: { ok: false, error: 'broken' } }])
    world.onEvent = event => void (event.type === 'waiting' && queueMicrotask(() => world.soft.abort()))
    const before = world.clock.now()
    expect(await world.host()).toMatchObject({ type: 'stopped' })
    expect(world.clock.now() - before).toBeLessThan(1000)
  })
})

describe('a clock that is set meanwhile', () => {
  const HOUR = 3_600_000

  it.each([-HOUR, HOUR])(
    'by %d ms does not make an agent silent that speaks, nor spare one that does not',
    async ms => {
      const speaks: AgentEvent[] = [{ type: 'text', text: 'hello' }]
      const world = new World([{ hangs: true, events: speaks }, done])
      world.onCall = n => void (n === 1 && world.clock.jump(ms))
      const before = world.clock.elapsed()
      expect(await world.host()).toMatchObject({ result: 'complete' })
      expect(world.of('settled').map(e => e.end)).toEqual(['inactive', 'ok'])
      expect(world.clock.elapsed() - before).toBe(300_000)
      expect(world.of('ended').map(e => e.ms)).toEqual([300_000, 0])
    },
  )

  it('back while it waits after a failure is not waited for', async () => {
    const world = new World([{ result: { ok: false, error: 'broken' } }, done])
    world.onEvent = event => void (event.type === 'waiting' && world.clock.jump(-HOUR))
    expect(await world.host()).toMatchObject({ result: 'complete' })
    expect(world.clock.elapsed()).toBeLessThan(10_000)
  })

  it('back while it waits for a limit is not waited for', async () => {
    const limited: AgentEvent = { type: 'limited', note: 'too many requests' }
    const act = { events: [limited], result: { ok: false, error: 'too many requests' } }
    const world = new World([act])
    const jumps = [-3 * HOUR]
    world.onEvent = event => {
      if (event.type === 'waiting') world.clock.jump(jumps.pop() ?? 0)
      if (event.type === 'settled' && event.id === 3) world.soft.abort()
    }
    await world.host()
    expect(world.calls).toBe(3)
    // One minute, then two by the new time, and never hours.
    expect(world.clock.elapsed()).toBe(3 * 60_000)
  })

  it.each([-HOUR, HOUR])('by %d ms gives a run neither more nor less time', async ms => {
    const slow = { startsAfter: 60_000 }
    const world = new World([slow], { limits: { ms: 150_000 } })
    world.onCall = n => void (n === 1 && world.clock.jump(ms))
    expect(await world.host()).toMatchObject({ result: 'budget' })
    expect(world.calls).toBe(3)
  })
})

describe('an agent for which the system has no room', () => {
  it('costs no iteration, is no crash of its task however often, and leaves the run to be resumed', async () => {
    const world = new World([done])
    let isFull = true
    world.onCall = () => {
      if (isFull) throw new CannotGoOn('cannot start a: the system allows no more processes')
    }
    for (let n = 0; n < 5; n++)
      expect(await world.host()).toEqual({
        type: 'stopped',
        why: 'cannot start a: the system allows no more processes',
        interrupted: false,
      })
    expect(fold(world.journal).state).toMatchObject({ n: 0, flight: {}, streaks: {} })
    isFull = false
    expect(await world.host()).toMatchObject({ type: 'finished', result: 'complete' })
    expect(fold(world.journal).state.n).toBe(1)
  })
})
