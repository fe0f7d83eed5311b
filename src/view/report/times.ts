import type { RunEvent } from '../../core/events.ts'
import type { StepId } from '../../core/table.ts'

export type Times = {
  began: number
  /** When the journal was last written to. */
  last: number
  workedMs: number
  /** Pauses after failures, waits for limits to pass, and what a person paused it for. */
  waitedMs: number
  sittings: number
}

/**
 * Where the time went. A wait is no event of the journal: it is what passes while nothing is under way
 * and an iteration or a person asked for a pause. Between sittings nobody works and nobody waits.
 */
export function timesOf(events: readonly RunEvent[]): Times {
  const began = events[0]?.at ?? 0
  const times: Times = { began, last: began, workedMs: 0, waitedMs: 0, sittings: 0 }
  const underway = new Set<StepId>()
  let pausing = false
  for (const event of events) {
    // Long after the end, perhaps: no work of the run's.
    if (event.type === 'undone') continue
    const passed = Math.max(event.at - times.last, 0)
    if (event.type === 'began' || event.type === 'resumed') {
      times.sittings++
      pausing = false
    } else if (pausing && underway.size === 0) times.waitedMs += passed
    else times.workedMs += passed
    times.last = event.at

    if (event.type === 'started') {
      underway.add(event.id)
      pausing = false
    } else if (event.type === 'settled')
      pausing ||= event.end === 'limited' || event.patch.notBefore !== undefined
    else if (event.type === 'control') pausing = event.hold === 'pause'
    else if (event.type === 'applied') underway.delete(event.id)
  }
  return times
}
