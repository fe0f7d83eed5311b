import type { Settled } from '../events.ts'
import { isSetBack, limitedUntil } from '../limits.ts'
import type { RunState, Step } from '../table.ts'

/** Forgets limits that are over: if the clock is set back later, they would seem to be ahead again. */
export function pastLimits({ until }: RunState, now: number): Settled['patch'] {
  const ahead = Object.entries(until).filter(([, at]) => at > now)
  return ahead.length === Object.keys(until).length ? {} : { until: Object.fromEntries(ahead) }
}

/** Until when the agent is limited, and how often in a row it was. */
export function limitedPatch(
  state: RunState,
  step: Step,
  resetsAt: number | undefined,
  now: number,
): Settled['patch'] {
  const agent = step.agent ?? ''
  const waits = (state.waits[agent] ?? 0) + 1
  return {
    waits: { ...state.waits, [agent]: waits },
    limitedSince: Math.min(state.limitedSince ?? now, now),
    until: {
      ...(isSetBack(state, now) ? {} : state.until),
      [agent]: limitedUntil(resetsAt, waits, now),
    },
  }
}
