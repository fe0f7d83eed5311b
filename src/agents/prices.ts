import type { Usage } from '../core/events.ts'

/** In US dollars per million tokens. `cached`: input read from a cache; `cacheWrite`: input written to it. */
export type Price = { input: number; output: number; cached?: number; cacheWrite?: number }

/** Prices of the user's own, by the name of a model, or of an agent if its model is not known. */
export type Prices = Readonly<Record<string, Price>>

/** When the list prices below were read from the pages of OpenAI and Google. */
export const PRICES_OF = '2026-10-07'

const price = (input: number, cached: number, output: number, cacheWrite = input): Price => ({
  input,
  cached,
  output,
  cacheWrite,
})

/**
 * List prices for standard requests, of models whose CLI reports tokens but no cost. A request with a very long context
 * (200K or 272K tokens, by model) costs more, but the CLIs report only sums. Where a price is reduced for some months,
 * the usual one counts.
 */
const LIST: Prices = {
  'gpt-6.1-sol': price(2, 0.1, 10, 2.5),
  'gpt-6-astra': price(10, 1, 50, 12.5),
  'gpt-6-sol': price(2, 0.2, 10, 2.5),
  'gpt-6-luna': price(0.1, 0.01, 0.5, 0.125),
  'gpt-5.6-sol': price(4, 0.4, 20),
  'gpt-5.6-terra': price(2, 0.2, 12),
  'gpt-5.6-luna': price(0.2, 0.02, 1.2),
  'gpt-5.5': price(5, 0.5, 30),
  'gpt-5.4': price(2.5, 0.25, 15),
  'gpt-5.4-mini': price(0.75, 0.075, 4.5),
  'gpt-5.3-codex': price(1.75, 0.175, 14),
  'gpt-5.2-codex': price(1.75, 0.175, 14),
  'gpt-5.2': price(1.75, 0.175, 14),
  'gpt-5.1-codex-max': price(1.25, 0.125, 10),
  'gpt-5.1-codex': price(1.25, 0.125, 10),
  'gpt-5.1-codex-mini': price(0.25, 0.025, 2),
  'gpt-5.1': price(1.25, 0.125, 10),
  'gpt-5-codex': price(1.25, 0.125, 10),
  'gpt-5': price(1.25, 0.125, 10),
  'gpt-5-mini': price(0.25, 0.025, 2),
  'gemini-3.8-flash': price(1.5, 0.15, 7.5),
  'gemini-3.5-flash': price(1.5, 0.15, 9),
  'gemini-3.5-flash-lite': price(0.3, 0.03, 2.5),
  'gemini-3.1-pro': price(2, 0.2, 12),
  'gemini-3-flash': price(0.5, 0.05, 3),
  'gemini-2.5-pro': price(1.25, 0.125, 10),
  'gemini-2.5-flash': price(0.3, 0.03, 2.5),
  'gemini-2.5-flash-lite': price(0.1, 0.01, 0.4),
}

/** The price of the first of these names that has one: the user's own, else the list price. */
export function priceOf(names: readonly (string | null | undefined)[], own: Prices): Price | null {
  for (const name of names) {
    if (!name) continue
    const found = at(own, name) ?? at(LIST, plainModel(name))
    if (found) return found
  }
  return null
}

const at = (prices: Prices, name: string): Price | undefined =>
  Object.hasOwn(prices, name) ? prices[name] : undefined

/** Without its provider, its date and `-preview`, which do not change the price. */
const plainModel = (name: string): string =>
  name
    .toLowerCase()
    .replace(/^.*\//, '')
    .replace(/-\d{4}-?\d{2}-?\d{2}$|-preview(?:-[\d-]+)?$/, '')

/** The cost of a call by its tokens. */
export function estimateUsd(
  { input, output, cached = input, cacheWrite = input }: Price,
  usage: Usage,
): number {
  const fresh = Math.max(usage.input - usage.cacheRead - usage.cacheWrite, 0)
  const millionths =
    fresh * input + usage.cacheRead * cached + usage.cacheWrite * cacheWrite + usage.output * output
  return millionths / 1e6
}

/** The model that a command line names, as all these CLIs do it. */
export function modelIn(words: readonly string[]): string | null {
  for (const [index, word] of words.entries()) {
    if (word === '-m' || word === '--model') return words[index + 1] ?? null
    if (word.startsWith('--model=')) return word.slice('--model='.length)
  }
  return null
}
