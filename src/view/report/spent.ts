import { formatUsd, plural } from '../../core/format.ts'
import type { Iteration } from './iterations.ts'

/** Tokens of agent calls; `input` includes the cached ones. */
export type Tokens = { input: number; cached: number; output: number }

/** What was paid. Null if that is unknown, which is not the same as nothing. */
export type Spent = {
  usd: number | null
  /** Some of it was estimated from tokens and list prices. */
  estimated?: true
  tokens: Tokens | null
  /** Agent calls whose cost is unknown. */
  unpriced: number
}

/** The sum of what is known. */
export function spentOn(
  iterations: readonly Pick<Iteration, 'agent' | 'usd' | 'estimated' | 'tokens'>[],
): Spent {
  const spent: Spent = { usd: null, tokens: null, unpriced: 0 }
  for (const { agent, usd, estimated, tokens } of iterations) {
    if (estimated) spent.estimated = true
    if (usd !== null) spent.usd = (spent.usd ?? 0) + usd
    else if (agent !== null) spent.unpriced++
    if (tokens !== null) spent.tokens = add(spent.tokens, tokens)
  }
  return spent
}

/** The same of several sums. */
export function sumSpent(all: readonly Spent[]): Spent {
  const known = all.flatMap(({ usd }) => usd ?? [])
  return {
    usd: known.length === 0 ? null : known.reduce((sum, usd) => sum + usd, 0),
    ...(all.some(({ estimated }) => estimated) && { estimated: true as const }),
    tokens: all.reduce<Tokens | null>((sum, { tokens }) => (tokens === null ? sum : add(sum, tokens)), null),
    unpriced: all.reduce((sum, { unpriced }) => sum + unpriced, 0),
  }
}

const add = (sum: Tokens | null, more: Tokens): Tokens => ({
  input: (sum?.input ?? 0) + more.input,
  cached: (sum?.cached ?? 0) + more.cached,
  output: (sum?.output ?? 0) + more.output,
})

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
