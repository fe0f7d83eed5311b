import { formatUsd, plural } from '../../core/format.ts'
import type { Iteration } from './iterations.ts'
import type { Spent } from './spent.ts'

// What a run cost, in the forms in which it is shown.

/** What ralph does itself has no number and no price. */
export const NONE = '–'
export const unknownOf = ({ agent }: Pick<Iteration, 'agent'>): string => (agent === null ? NONE : 'unknown')

type Priced = Pick<Spent, 'usd' | 'estimated'> & Partial<Pick<Iteration, 'agent'>>

export const usdOrUnknown = ({ usd, estimated, agent = '' }: Priced): string =>
  usd === null ? unknownOf({ agent }) : formatUsd(usd, estimated)

/** `$0.18`; `~$0.18 (estimated)`; `$0.18, and 2 calls of unknown cost`; `cost unknown`. */
export function formatCost({
  usd,
  estimated,
  unpriced,
}: Pick<Spent, 'usd' | 'estimated' | 'unpriced'>): string {
  if (usd === null) return unpriced === 0 ? 'no cost' : 'cost unknown'
  const known = `${formatUsd(usd, estimated)}${estimated ? ' (estimated)' : ''}`
  return unpriced === 0 ? known : `${known}, and ${plural(unpriced, 'call')} of unknown cost`
}

/** The same beside a title that says it is the cost. `underWay`: the number of calls that may still tell theirs. */
export function costRow(spent: Pick<Spent, 'usd' | 'estimated' | 'unpriced'>, underWay: number): string {
  if (spent.usd !== null) return formatCost(spent)
  if (spent.unpriced > underWay) return 'unknown'
  return underWay === 0 ? 'none' : 'none yet'
}

/** For a column. A plus: calls of unknown cost came on top, or one is under way. */
export const costCell = (spent: Pick<Spent, 'usd' | 'estimated' | 'unpriced'>, underWay = 0): string =>
  spent.usd === null
    ? costRow(spent, underWay)
    : `${formatUsd(spent.usd, spent.estimated)}${spent.unpriced === 0 ? '' : '+'}`
