import type { Proof, Result, RunEvent } from '../../core/events.ts'
import { isGivenUp } from '../../core/reopen.ts'
import type { Limits, RunState } from '../../core/table.ts'
import type { Task } from '../../core/task.ts'
import type { WorkflowTraits } from './receipt.ts'
import type { Spent } from './spent.ts'

/** `open`: the journal has no end. The run is at work if it is `live`, otherwise it was cut off. */
export type RunEnding =
  | { type: 'finished'; result: Result; proof: Proof | null; why: string }
  | { type: 'stopped'; why: string }
  | { type: 'open'; live: boolean }

/** How the run ended after it was last started or resumed. */
export function endingOf(events: readonly RunEvent[], live: boolean): RunEnding {
  const last = events.findLast(e => e.type === 'finished' || e.type === 'stopped' || e.type === 'resumed')
  switch (last?.type) {
    case 'finished':
      return { type: 'finished', result: last.result, proof: last.proof, why: last.why }
    case 'stopped':
      return { type: 'stopped', why: last.why }
    default:
      return { type: 'open', live }
  }
}

/** How many iterations a raised limit adds, so that it is worth it; who asked for one iteration gets one more. */
export const moreIterations = (pins: { once?: unknown }): number => (pins.once === true ? 1 : 10)

/**
 * The command that continues a run, with the limits that must be raised; null if it is complete, cancelled, undone, or at
 * work, or if a person gave up all that is left.
 */
export function resumeCommand(
  events: readonly RunEvent[],
  { answerCommand }: Pick<WorkflowTraits, 'answerCommand'>,
  ending: RunEnding,
  spent: Pick<Spent, 'usd' | 'tokens'>,
  folded: () => { state: RunState; tasks: readonly Task[] },
): string | null {
  const began = events.find(e => e.type === 'began')
  const lastStart = events.findLast(e => e.type === 'began' || e.type === 'resumed')
  const limits = events.findLast(e => 'limits' in e)?.limits
  if (!began || !lastStart || !limits) return null
  if (ending.type === 'finished' && (ending.result === 'complete' || ending.result === 'cancelled'))
    return null
  // What its journal counts as done is no longer there.
  if (isUndone(events)) return null
  if (ending.type === 'finished' && ending.result === 'blocked') {
    const { state, tasks } = folded()
    if (isGivenUp(state, tasks)) return null
  }
  if (ending.type === 'open' && ending.live && !isPaused(events)) return null
  const counted = events.findLast(e => e.type === 'settled' && e.patch.n !== undefined)
  const used = counted?.type === 'settled' ? (counted.patch.n ?? 0) : 0
  const flags = raisedLimits(limits, used, moreIterations(began.pins), spent)
  const asked = events.slice(events.indexOf(lastStart)).some(e => e.type === 'settled' && e.move === 'ask')
  // A question needs an answer: without one the agent would only ask again.
  if (answerCommand && asked && ending.type === 'finished' && ending.result === 'blocked')
    return [answerCommand(began.id), ...flags].join(' ')
  return ['ralph resume', began.id, ...flags].join(' ')
}

/** The ref that keeps what a run had done that was undone; null: it was not, or has gone on since. */
export function undoneIn(events: readonly RunEvent[]): string | null {
  const last = events.findLast(e => e.type === 'undone' || e.type === 'resumed')
  return last?.type === 'undone' ? last.saved : null
}

/** What the run had done is no longer there, though its journal counts it. */
export const isUndone = (events: readonly RunEvent[]): boolean => undoneIn(events) !== null

const isPaused = (events: readonly RunEvent[]): boolean => {
  const last = events.findLast(e => e.type === 'control' || e.type === 'began' || e.type === 'resumed')
  return last?.type === 'control' && last.hold === 'pause'
}

function raisedLimits(
  limits: Limits,
  used: number,
  more: number,
  { usd, tokens }: Pick<Spent, 'usd' | 'tokens'>,
): string[] {
  const flags: string[] = []
  if (limits.iterations !== null && used >= limits.iterations) flags.push(`-m ${used + more}`)
  if (limits.usd !== null && (usd ?? 0) >= limits.usd) flags.push(`--max-cost ${twice(limits.usd, usd ?? 0)}`)
  const read = tokens === null ? 0 : tokens.input + tokens.output
  if (limits.tokens !== null && tokens !== null && read >= limits.tokens)
    flags.push(`--max-tokens ${twice(limits.tokens, read)}`)
  return flags
}

/** Twice the limit, or twice what was used if one iteration went that far beyond it. */
const twice = (limit: number, used: number): number => (used < limit * 2 ? limit * 2 : Math.ceil(used * 2))
