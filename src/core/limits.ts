import type { Result } from './events.ts'
import { formatDuration, formatUsd } from './format.ts'
import type { AgentName, RunState } from './table.ts'

const SECOND = 1000
const MINUTE = 60 * SECOND

export const LONGEST_PAUSE = 300 * SECOND

/** The pause after the nth failure in a row: 1, 2, 4 … at most 300 s. */
export const failurePause = (failures: number): number =>
  Math.min(2 ** (failures - 1) * SECOND, LONGEST_PAUSE)

/** The pause where a limit states no reset: 1, 2, 4 … at most 15 min. */
export const limitPause = (waits: number): number => Math.min(2 ** (waits - 1), 15) * MINUTE

/** Whether the clock was set back since a limit was met: then times computed before are not used. */
export const isSetBack = ({ limitedSince }: Pick<RunState, 'limitedSince'>, now: number): boolean =>
  limitedSince !== null && now < limitedSince

/** Until when an agent is limited. A stated reset that has already passed is ignored. */
export const limitedUntil = (resetsAt: number | undefined, waits: number, now: number): number =>
  resetsAt !== undefined && resetsAt > now ? resetsAt : now + limitPause(waits)

/**
 * Which limit, if any, forbids another iteration. `flying`: how many are in flight. `worked`: how long this
 * incarnation has taken, by a monotonic clock.
 */
export function reached(
  state: RunState,
  flying: number,
  worked: number,
): { result: Result; why: string } | null {
  const { limits } = state
  // A step in flight may still spend its share. Once it has ended, only what it spent counts.
  if (limits.usd !== null && state.spent.usd + sharesOf(state) >= limits.usd)
    return {
      result: 'budget',
      why: `${formatUsd(state.spent.usd, state.spent.estimated)} of ${formatUsd(limits.usd)} are spent`,
    }
  if (limits.tokens !== null && state.spent.tokens >= limits.tokens)
    return { result: 'budget', why: `${state.spent.tokens} of ${limits.tokens} tokens are used` }
  if (limits.ms !== null && worked >= limits.ms)
    return { result: 'budget', why: `the time limit of ${formatDuration(limits.ms)} is reached` }
  if (limits.iterations !== null && state.n + flying >= limits.iterations)
    return {
      result: 'exhausted',
      why:
        limits.iterations === 1
          ? 'the one iteration is used'
          : `all ${limits.iterations} iterations are used`,
    }
  return null
}

/** How many agents are in flight. What ralph does itself is no iteration. */
export const agentsIn = ({ flight }: Pick<RunState, 'flight'>): number =>
  Object.values(flight).filter(({ agent }) => agent !== null).length

/** What the agents in flight may spend together. */
const sharesOf = ({ flight }: RunState): number =>
  Object.values(flight).reduce((sum, { usd = 0 }) => sum + usd, 0)

/** What one more agent may spend, of `width` that may be in flight: an equal share of what the others leave. Null without a limit. */
export function shareOf(state: RunState, width: number): number | null {
  const { limits, spent } = state
  if (limits.usd === null) return null
  return Math.max(limits.usd - spent.usd - sharesOf(state), 0) / Math.max(width - agentsIn(state), 1)
}

/** All these agents are limited: until when to wait for the first of them, or why that would be too long. */
export function waitFor(
  state: RunState,
  agents: readonly AgentName[],
  now: number,
  worked: number,
): { until: number; why: string } | { until: null; why: string } {
  const { limits } = state
  const earliest = Math.min(...agents.map(a => state.until[a] ?? 0))
  const who = agents.join(', ')
  // Another agent may have worked in between: then the wait for this one begins now.
  if (earliest - (state.limitedSince ?? now) > limits.limitWaitMs) {
    const most = formatDuration(limits.limitWaitMs)
    return {
      until: null,
      why: `${who} ${are(agents)} rate-limited for longer than maxLimitWait (${most})`,
    }
  }
  // No wait is longer than the time left for the run.
  const end = limits.ms === null ? Number.POSITIVE_INFINITY : now + limits.ms - worked
  return { until: Math.min(earliest, end), why: `${who} limited` }
}

const are = (agents: readonly AgentName[]): string => (agents.length === 1 ? 'is' : 'are')
