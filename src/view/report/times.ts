import type { RunEvent } from '../../core/events.ts'
import type { StepId } from '../../core/table.ts'

export type Times = {
  began: number
  /** When the journal was last written to. */
  last: number
  workedMs: number
  /** Pauses after failures, waits for rate limits, and pauses by a person. */
  waitedMs: number
  /** How often the run was started or resumed. */
  incarnations: number
}

/**
 * How long it took from one event to the next. The system time may be set meanwhile, so it does not count. Between an event of a process at work and one of another process, nothing was at work.
 */
export function timeBetween(before: RunEvent, after: RunEvent): number {
  const { up: from } = before
  const { up: to } = after
  return from === undefined || to === undefined ? 0 : Math.max(to - from, 0)
}

/**
 * Where the time went. The journal has no event for a wait: it is the time in which nothing is under way after an
 * iteration or a person asked for a pause. The time before a resume is neither work nor a wait.
 */
export function timesOf(events: readonly RunEvent[]): Times {
  const began = events[0]?.at ?? 0
  const times: Times = { began, last: began, workedMs: 0, waitedMs: 0, incarnations: 0 }
  const underWay = new Set<StepId>()
  let pausing = false
  let before: RunEvent | undefined
  for (const event of events) {
    // An undo is not work of the run, and may come long after its end.
    if (event.type === 'undone') continue
    const passed = before ? timeBetween(before, event) : 0
    before = event
    if (event.type === 'began' || event.type === 'resumed') {
      times.incarnations++
      pausing = false
    } else if (pausing && underWay.size === 0) times.waitedMs += passed
    else times.workedMs += passed
    times.last = event.at

    if (event.type === 'started') {
      underWay.add(event.id)
      pausing = false
    } else if (event.type === 'settled')
      pausing ||= event.end === 'limited' || event.patch.notBefore !== undefined
    else if (event.type === 'control') pausing = event.hold === 'pause'
    else if (event.type === 'applied') underWay.delete(event.id)
  }
  return times
}
