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

const add = (sum: Tokens | null, more: Tokens): Tokens => ({
  input: (sum?.input ?? 0) + more.input,
  cached: (sum?.cached ?? 0) + more.cached,
  output: (sum?.output ?? 0) + more.output,
})
