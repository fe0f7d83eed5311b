import { describe, expect, it } from 'vitest'
import type { RunEvent } from '../../src/core/events.ts'
import { iterationsOf } from '../../src/view/report/iterations.ts'
import { timesOf } from '../../src/view/report/times.ts'
import { journal } from './report-journal.ts'

const HOUR = 3_600_000

/** A run as it is if someone sets the system time after the third event. */
const setClock = (events: readonly RunEvent[], by: number): RunEvent[] =>
  events.map((event, index) => (index < 3 ? event : { ...event, at: event.at + by }))

const durations = (events: readonly RunEvent[]) => {
  const { workedMs, waitedMs } = timesOf(events)
  return [workedMs, waitedMs, ...iterationsOf(events).map(({ ms }) => ms)]
}

describe('a duration in a report', () => {
  const events = journal()
    .iterate({ move: 'pass', usd: 0.11 })
    .iterate({ move: 'pass', usd: 0.11 })
    .finish('complete', 'complete', 'verified')

  it.each([-HOUR, HOUR])('does not depend on the system time, which is set by %i ms', by => {
    expect(durations(setClock(events, by))).toEqual(durations(events))
  })

  it('leaves out the time from a crash until another process ends the run', () => {
    const crashed = events.slice(0, -2)
    const at = crashed.at(-1)!.at + 9 * HOUR
    const cancelled: RunEvent = { type: 'finished', at, result: 'cancelled', proof: null, why: 'cancelled' }
    expect(durations([...crashed, cancelled])).toEqual(durations(crashed))
  })
})
