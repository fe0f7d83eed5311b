import type { Proof, Result, RunEvent } from '../../core/events.ts'
import type { Folded } from '../../core/evolve.ts'
import { isGivenUp } from '../../core/reopen.ts'
import type { RunState } from '../../core/table.ts'
import { pausing } from '../../core/trouble/streaks.ts'
import type { Tone } from '../page.ts'
import { asCheck, LONGEST_LINE, plainLine } from '../text/plain.ts'
import type { Iteration } from './iterations.ts'
import type { Receipt, WorkflowTraits } from './receipt.ts'
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
 * The command that continues a run, with the limits that must be raised. Null if it is complete, cancelled, undone, or at
 * work, or if a person gave up all that is left.
 */
export function resumeCommand(
  events: readonly RunEvent[],
  { answerCommand }: Pick<WorkflowTraits, 'answerCommand'>,
  ending: RunEnding,
  spent: Pick<Spent, 'usd' | 'tokens'>,
  { state, tasks }: Folded,
): string | null {
  const began = events.find(e => e.type === 'began')
  const lastStart = events.findLast(e => e.type === 'began' || e.type === 'resumed')
  if (!began || !lastStart) return null
  if (ending.type === 'finished' && (ending.result === 'complete' || ending.result === 'cancelled'))
    return null
  // What its journal counts as done is no longer there.
  if (isUndone(events)) return null
  if (ending.type === 'finished' && ending.result === 'blocked' && isGivenUp(state, tasks)) return null
  if (ending.type === 'open' && ending.live && state.hold !== 'pause') return null
  const flags = raisedLimits(state, moreIterations(began.pins), spent)
  const asked = events.slice(events.indexOf(lastStart)).some(e => e.type === 'settled' && e.move === 'ask')
  // A question needs an answer: without one the agent would only ask again.
  if (answerCommand && asked && ending.type === 'finished' && ending.result === 'blocked')
    return [answerCommand(began.id), ...flags].join(' ')
  return ['ralph resume', began.id, ...flags].join(' ')
}

/** The ref that keeps what an undone run had done. Null if the run was not undone, or has gone on since. */
export function undoneIn(events: readonly RunEvent[]): string | null {
  const last = events.findLast(e => e.type === 'undone' || e.type === 'resumed')
  return last?.type === 'undone' ? last.saved : null
}

/** What the run had done is no longer there, though its journal counts it. */
export const isUndone = (events: readonly RunEvent[]): boolean => undoneIn(events) !== null

function raisedLimits(
  { limits, n }: RunState,
  more: number,
  { usd, tokens }: Pick<Spent, 'usd' | 'tokens'>,
): string[] {
  const flags: string[] = []
  if (limits.iterations !== null && n >= limits.iterations) flags.push(`-m ${n + more}`)
  if (limits.usd !== null && (usd ?? 0) >= limits.usd) flags.push(`--max-cost ${twice(limits.usd, usd ?? 0)}`)
  const read = tokens === null ? 0 : tokens.input + tokens.output
  if (limits.tokens !== null && tokens !== null && read >= limits.tokens)
    flags.push(`--max-tokens ${twice(limits.tokens, read)}`)
  return flags
}

/** Twice the limit, or twice what was used if one iteration went that far beyond it. */
const twice = (limit: number, used: number): number => (used < limit * 2 ? limit * 2 : Math.ceil(used * 2))

/** `crashed`: no process hosts the run, and the last one did not stop it cleanly. */
export type Phase = 'running' | 'paused' | 'waiting' | 'stopped' | 'crashed' | 'finished'

/** `atWork`: a process hosts the run, here or elsewhere. */
export function runPhase(events: readonly RunEvent[], state: RunState, atWork: boolean, now: number): Phase {
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

/** How it ended, in one sentence. */
export function formatEnding(ending: RunEnding): { text: string; tone: Tone } {
  switch (ending.type) {
    case 'open':
      return { text: ending.live ? 'still at work' : 'unfinished: it was cut off', tone: 'middling' }
    case 'stopped':
      return { text: `stopped: ${plainLine(ending.why, LONGEST_LINE)}`, tone: 'middling' }
    case 'finished':
      if (ending.result !== 'complete') {
        const why = asCheck(plainLine(ending.why, LONGEST_LINE))
        const result = ending.result === 'exhausted' ? 'not done' : ending.result
        return { text: why === ending.result ? why : `${result}: ${why}`, tone: 'bad' }
      }
      return ending.proof === 'verified'
        ? { text: `done, verified${ending.why === 'complete' ? '' : `: ${ending.why}`}`, tone: 'good' }
        : { text: `done as claimed: ${whyClaimed(ending.why)}`, tone: 'middling' }
    default:
      return ending satisfies never
  }
}

/** How it ended, in one or two words. */
export function formatResult({ ending, undone }: Pick<Receipt, 'ending' | 'undone'>): string {
  if (undone !== null) return 'undone'
  if (ending.type === 'open') return 'cut off'
  if (ending.type === 'stopped') return 'stopped'
  if (ending.result === 'complete') return ending.proof === 'verified' ? 'verified' : 'claimed'
  return ending.result === 'exhausted' ? 'at its limit' : ending.result
}

const whyClaimed = (why: string): string =>
  why === 'complete' ? 'nothing verified it' : plainLine(why, LONGEST_LINE)

/** What a run was asked for. `condition`: whether it has something to reach. `once`: one iteration that goes well. */
export type Asked = { condition: boolean; once: boolean }

/** What was asked of a run, by what its first event pins. */
export const askedByPins = (
  pins: Record<string, unknown>,
  { hasCondition }: Pick<WorkflowTraits, 'hasCondition'>,
): Asked => ({ condition: hasCondition?.(pins) ?? true, once: pins.once === true })

/** What was asked of the run of a receipt. */
export const askedOf = ({ asked = { condition: true, once: false } }: { asked?: Asked }): Asked => asked

/** The parts of a receipt that say whether the run did what was asked. */
type Ended = { ending: RunEnding; iterations: readonly Worked[] }

/** The parts of an iteration that say whether it went well. */
export type Worked = Pick<Iteration, 'end'> & {
  checks: readonly Pick<Iteration['checks'][number], 'verdict'>[]
}

/** Without a condition, using all iterations is what the user asked for; so is one that went well, with --once. */
export const endedAsAsked = ({ ending, iterations }: Ended, { condition, once }: Asked): boolean =>
  ending.type === 'finished' &&
  ending.result === 'exhausted' &&
  (once ? wentWell(iterations.at(-1)) : !condition)

/** How a run ended, in words. */
export function formatEndingAsAsked(ended: Ended, asked: Asked): { text: string; tone: Tone } {
  const { ending } = ended
  if (ending.type !== 'finished' || !endedAsAsked(ended, asked)) return formatEnding(ending)
  return { text: asked.once ? 'the iteration went well' : plainLine(ending.why), tone: 'good' }
}

/** As the exit code of --once has it. */
const wentWell = (last: Worked | undefined): boolean =>
  !!last && WENT_WELL.includes(last.end) && last.checks.every(check => check.verdict === 'pass')

const WENT_WELL: readonly string[] = ['pass', 'more', 'ask']
