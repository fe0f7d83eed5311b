/** Tokens of agent calls; `input` includes the cached ones. */
export type Tokens = { input: number; cached: number; output: number }

/** What was paid. null: unknown, which is not the same as nothing. */
export type Spent = {
  usd: number | null
  /** Some of it was estimated from tokens and list prices. */
  estimated?: true
  tokens: Tokens | null
  /** Agent calls whose cost is unknown. */
  unpriced: number
}

type Priced = { agent: string | null; usd: number | null; estimated?: true; tokens: Tokens | null }

/** The sum of what is known. */
export function spentOn(iterations: readonly Priced[]): Spent {
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
