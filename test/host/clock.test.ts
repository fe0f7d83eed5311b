import { setImmediate as turn } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { afterRunning } from '../../src/core/ports.ts'
import { type ClockSource, processClock } from '../../src/host/clock.ts'
import { DONE, setPrompt } from './hosted-prompt.ts'

/** A source whose time the test moves. `suspend` moves it with nothing running, as SIGSTOP does. */
function setTime() {
  let now = 1000
  const timers = new Set<{ at: number; call: () => void }>()
  const source: ClockSource = {
    elapsed: () => now,
    timer(ms, call) {
      const timer = { at: now + ms, call }
      timers.add(timer)
      return () => void timers.delete(timer)
    },
  }
  const fireDue = async () => {
    for (const timer of [...timers].sort((a, b) => a.at - b.at)) {
      if (timer.at > now || !timers.delete(timer)) continue
      timer.call()
      await turn()
    }
  }
  return {
    clock: processClock(source),
    timers,
    async run(ms: number) {
      for (const end = now + ms; now < end; ) {
        now = Math.min(end, Math.max(now, Math.min(end, ...[...timers].map(timer => timer.at))))
        await fireDue()
        if (![...timers].some(timer => timer.at <= end)) now = end
      }
    },
    async suspend(ms: number) {
      now += ms
      await fireDue()
    },
  }
}

describe('the clock of a process', () => {
  it.each([
    ['a moment', 300_000, 100, 0],
    ['longer than the wait', 20_000, 60_000, 60_000],
    ['shorter than the wait', 300_000, 60_000, 60_000],
    ['hours', 300_000, 7_200_000, 7_200_000],
  ])('does not count the time in which it was suspended: %s', async (_, ms, suspended, atMost) => {
    const time = setTime()
    const calls: number[] = []
    const began = time.clock.elapsed()
    afterRunning(time.clock, ms, () => calls.push(time.clock.elapsed() - began))
    await time.run(ms / 2)
    await time.suspend(suspended)
    expect(calls).toEqual([])
    const elapsed = time.clock.elapsed() - began
    // It looks every second, so this much of a suspension may count as time.
    expect(elapsed).toBeGreaterThanOrEqual(ms / 2)
    expect(elapsed).toBeLessThanOrEqual(ms / 2 + suspended - atMost + 1000)
    await time.run(ms / 2)
    expect(calls).toHaveLength(1)
    expect(calls[0]).toBeGreaterThanOrEqual(ms)
  })

  it('calls back at the time it was given, suspended or not, for a wait that ends by the time of day', async () => {
    const time = setTime()
    let called = 0
    time.clock.after(10_000, () => called++)
    await time.suspend(10_000)
    expect(called).toBe(1)
  })

  it('has no timer while nobody waits', async () => {
    const time = setTime()
    expect(time.timers.size).toBe(0)
    const cancel = time.clock.after(60_000, () => {})
    time.clock.after(10, () => {})
    await time.run(20_000)
    expect(time.timers.size).toBe(2)
    cancel()
    cancel()
    expect(time.timers.size).toBe(0)
  })

  it('reads what has come before it calls back, and does not call what was cancelled then', async () => {
    const time = setTime()
    let called = 0
    const cancel = time.clock.after(1000, () => called++)
    const firing = time.suspend(1000)
    cancel()
    await firing
    await turn()
    expect([called, time.timers.size]).toEqual([0, 0])
  })
})

describe('a duration is measured by a clock that nobody can set', () => {
  /** The look comes between two looks at that clock. The time of day is decades ahead of it. */
  const expectBetween = (from: number, looks: (number | undefined)[]) => {
    const to = performance.now()
    expect(looks).not.toEqual([])
    const isBetween = (at = Number.NaN) => at >= Math.floor(from) && at <= Math.ceil(to)
    expect(looks.filter(at => !isBetween(at))).toEqual([])
  }

  it('in the process', () => {
    const from = performance.now()
    expectBetween(from, [processClock().elapsed()])
  })

  it('in the journal, whose every event has its time', async () => {
    const from = performance.now()
    const run = setPrompt({ calls: [DONE] })
    expect(await run.host()).toBe(0)
    expectBetween(
      from,
      run.journal().map(({ up }) => up),
    )
  })
})
