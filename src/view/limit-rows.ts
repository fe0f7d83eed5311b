import { formatCount, formatDuration, formatUsd, plural } from '../core/format.ts'
import type { Limits, RunState } from '../core/table.ts'

/** In seconds. `screenInactivityTimeout`: of an agent that a worker watches by its screen. */
type Timeouts = { iterationTimeout: number; inactivityTimeout: number; screenInactivityTimeout?: number }

/** Every limit in force, those that the user set first, and what is spent of them. `run`: its state, if it has begun. */
export function limitRows(limits: Limits, timeouts: Timeouts, run?: { state: RunState }): string[][] {
  return [
    ['limits', setLimits(limits)],
    ['', standingLimits(limits, timeouts)],
    ...(run ? spentRow(run.state) : []),
  ]
}

/** `10 iterations · $5.00 · no limit on tokens or time`. */
function setLimits({ iterations, usd, tokens, ms }: Limits): string {
  const limits = [
    [iterations !== null && plural(iterations, 'iteration'), 'iterations'],
    [usd !== null && formatUsd(usd), 'cost'],
    [tokens !== null && `${formatCount(tokens)} tokens`, 'tokens'],
    [ms !== null && formatSpan(ms), 'time'],
  ] as const
  const set = limits.flatMap(([limit]) => limit || [])
  const unset = limits.flatMap(([limit, what]) => (limit ? [] : [what]))
  const none = unset.length === 0 ? [] : [`no limit on ${listed(unset)}`]
  return [...set, ...none].join(' · ')
}

const standingLimits = (
  { failures, stuck, limitWaitMs }: Limits,
  { iterationTimeout, inactivityTimeout, screenInactivityTimeout }: Timeouts,
): string => {
  const onScreen =
    screenInactivityTimeout === undefined
      ? ''
      : ` (${formatSpan(screenInactivityTimeout * 1000)} on a worker's screen)`
  return [
    `${plural(failures, 'failure')} in a row`,
    `${plural(stuck, 'iteration')} without progress`,
    `${formatSpan(iterationTimeout * 1000)} an iteration`,
    `${formatSpan(inactivityTimeout * 1000)} of silence${onScreen}`,
    `${formatSpan(limitWaitMs)} at a rate limit`,
  ].join(' · ')
}

function spentRow({ n, steps, spent, flight }: RunState): string[][] {
  if (steps === 0) return []
  // What was stopped between its agent and its checks is paid for, and will count.
  const unchecked = Object.values(flight).filter(step => step.ended !== undefined).length
  const facts = [
    plural(n + unchecked, 'iteration'),
    spent.usd > 0 && formatUsd(spent.usd),
    spent.tokens > 0 && `${formatCount(spent.tokens)} tokens`,
  ]
  return [['spent', facts.filter(Boolean).join(' · ')]]
}

/** 7200000 → 2h. */
const formatSpan = (ms: number): string =>
  formatDuration(ms)
    .replace(/\.0s$/, 's')
    .replace(/(?<=[hm])0[ms]$/, '')

const listed = (words: readonly string[]): string =>
  words.length === 1 ? words[0]! : `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`
