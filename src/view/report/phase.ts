import type { RunEvent } from '../../core/events.ts'
import type { RunState } from '../../core/table.ts'
import { pausing } from '../../core/trouble/streaks.ts'
import { endingOf } from './ending.ts'

/** `crashed`: no process hosts the run, and the last one did not stop it cleanly. */
export type Phase = 'running' | 'paused' | 'waiting' | 'stopped' | 'crashed' | 'finished'

/** `atWork`: a process hosts the run, here or elsewhere. */
export function phaseOf(events: readonly RunEvent[], state: RunState, atWork: boolean, now: number): Phase {
  if (atWork) {
    if (state.hold === 'pause') return 'paused'
    return waitTimes(state, now).length > 0 ? 'waiting' : 'running'
  }
  const { type } = endingOf(events, false)
  return type === 'open' ? 'crashed' : type
}

/** The agents that are limited now, and until when. */
export const limitedAt = (state: RunState, now: number): Record<string, number> =>
  Object.fromEntries(Object.entries(state.until).filter(([, until]) => until > now))

/** Until when it waits. It does not wait while anything is under way: if one agent is limited, another may work. */
export function waitTimes(state: RunState, now: number): number[] {
  const isBusy = Object.keys(state.flight).length + Object.keys(state.unapplied).length > 0
  if (isBusy) return []
  const pauses = pausing(state, now).map(([, until]) => until)
  return pauses.length > 0 ? pauses : Object.values(limitedAt(state, now))
}
