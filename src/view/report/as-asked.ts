import type { Tone } from '../page.ts'
import { plainLine } from '../text/plain.ts'
import type { RunEnding } from './ending.ts'
import { formatEnding } from './format.ts'
import type { Iteration } from './iterations.ts'

/** What a run was asked for. `condition`: whether it has something to reach. `once`: one iteration that goes well. */
export type Asked = { condition: boolean; once: boolean }

/** What was asked of the run of a receipt. */
export const askedOf = ({ asked = { condition: true, once: false } }: { asked?: Asked }): Asked => asked

/** What a run did, as far as it tells whether that is what was asked for. */
type Ended = { ending: RunEnding; iterations: readonly Worked[] }

/** An iteration, as far as it tells whether it went well. */
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
