import type { Outcome, Result, Settled } from '../events.ts'
import { plural } from '../format.ts'
import { failurePause, isSetBack, LONGEST_PAUSE, limitedUntil } from '../limits.ts'
import type { AgentName, RunState, Step, Streak } from '../table.ts'
import type { TaskId } from '../task.ts'

const NO_STREAK: Streak = { failures: 0, empties: 0, silent: 0 }

const streaksOf = ({ streaks }: Pick<RunState, 'streaks'>, task: TaskId): Record<AgentName, Streak> =>
  Object.hasOwn(streaks, task) ? streaks[task]! : {}

/** What went wrong in a row while the agent of a step worked on its task. */
export function streakOf(state: RunState, { task, agent }: Pick<Step, 'task' | 'agent'>): Streak {
  const streaks = streaksOf(state, task)
  return Object.hasOwn(streaks, agent ?? '') ? streaks[agent ?? '']! : NO_STREAK
}

/** Counts a failure. An empty answer is tried again first, as the same iteration. */
export function troublePatch(
  state: RunState,
  step: Step,
  end: Outcome['end'],
  n: number,
  now: number,
): Settled['patch'] {
  const before = streakOf(state, step)
  const empties = end === 'empty' ? before.empties + 1 : 0
  if (end === 'empty' && empties <= state.limits.empties) return { limitedSince: null, empties }
  const failures = before.failures + 1
  return { n, limitedSince: null, empties, failures, notBefore: now + failurePause(failures) }
}

type Streaks = Pick<RunState, 'streaks' | 'pauses'>

/** The streaks after a step was settled. A good iteration ends those of its task. */
export function streaksAfter(
  state: RunState,
  { id, task, end, patch: { failures, empties, silent, notBefore } }: Settled,
): Streaks {
  const agent = state.flight[id]?.agent ?? ''
  // On a screen, an agent that fell silent is judged as one that ended well.
  if (end === 'ok' && !silent) return afterGood(state, task, agent)
  if (failures === undefined && empties === undefined && silent === undefined)
    return { streaks: state.streaks, pauses: state.pauses }
  const before = streakOf(state, { task, agent })
  const counts = {
    failures: failures ?? before.failures,
    empties: empties ?? before.empties,
    silent: silent ?? before.silent,
  }
  const streak = { ...counts, ...(hasTrouble(counts) && before.elsewhere && { elsewhere: true as const }) }
  return {
    streaks: { ...state.streaks, [task]: { ...streaksOf(state, task), [agent]: streak } },
    pauses: notBefore === undefined ? state.pauses : { ...state.pauses, [task]: notBefore },
  }
}

/** Whether anything goes wrong. What the agent did well elsewhere before that says nothing. */
const hasTrouble = ({ failures, empties, silent }: Streak): boolean => failures + empties + silent > 0

function afterGood(state: RunState, task: TaskId, agent: AgentName): Streaks {
  const { streaks, pauses } = withoutStreaks(state, [task])
  const others = Object.entries(streaks).map(([other, byAgent]) => {
    const streak = Object.hasOwn(byAgent, agent) ? byAgent[agent]! : NO_STREAK
    const marked = { ...byAgent, [agent]: { ...streak, elsewhere: true as const } }
    return [other, hasTrouble(streak) ? marked : byAgent] as const
  })
  return { streaks: others.length > 0 ? Object.fromEntries(others) : streaks, pauses }
}

/** Tasks that start again: nothing went wrong with them yet. */
export function withoutStreaks({ streaks, pauses }: Streaks, tasks: readonly TaskId[]): Streaks {
  return { streaks: without(streaks, tasks), pauses: without(pauses, tasks) }
}

const without = <T>(record: Record<TaskId, T>, keys: readonly TaskId[]): Record<TaskId, T> =>
  keys.some(key => Object.hasOwn(record, key))
    ? Object.fromEntries(Object.entries(record).filter(([key]) => !keys.includes(key)))
    : record

/** The longest of them: failures in a row. */
export const failuresInRow = ({ streaks }: RunState): number =>
  Math.max(0, ...Object.values(streaks).flatMap(byAgent => Object.values(byAgent).map(s => s.failures)))

/** A task that its agent has failed at too often in a row. */
export type GivenUp = { task: TaskId; result: Result; why: string; elsewhere: boolean }

/** The tasks that are not tried again before somebody resumes the run. */
export function givenUp({ streaks, limits }: RunState): GivenUp[] {
  return Object.entries(streaks).flatMap(([task, byAgent]): GivenUp[] => {
    const streak = Object.values(byAgent).find(
      ({ failures, silent }) => failures >= limits.failures || silent >= limits.failures,
    )
    if (!streak) return []
    const elsewhere = streak.elsewhere === true
    return streak.failures >= limits.failures
      ? [{ task, elsewhere, result: 'failures', why: plural(streak.failures, 'consecutive failure') }]
      : [
          {
            task,
            elsewhere,
            result: 'inactive',
            why: `${streak.silent} iterations in a row fell silent and changed nothing`,
          },
        ]
  })
}

/** Tasks that wait after a failure, and until when. More than the longest pause: the clock was set back. */
export const pausing = ({ pauses }: RunState, now: number): [TaskId, number][] =>
  Object.entries(pauses).filter(([, until]) => until > now && until - now <= LONGEST_PAUSE)

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
