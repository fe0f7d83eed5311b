import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { estimateUsd, modelIn, PRICES_OF, priceOf } from '../../src/agents/prices.ts'

describe('a list price', () => {
  it('is of a date', () => {
    expect(new Date(PRICES_OF).toISOString().slice(0, 10)).toBe(PRICES_OF)
  })

  it.each([
    'gpt-6-sol',
    'GPT-6-sol',
    'openai/gpt-6-sol',
    'gpt-6-sol-2026-09-22',
    'gpt-6-sol-20260922',
    'gpt-6-sol-preview',
    'gpt-6-sol-preview-09-2026',
  ])('is found for %s', model => {
    expect(priceOf([model], {})).toEqual({ input: 2, output: 10, cached: 0.2, cacheWrite: 2.5 })
  })

  it.each(['gpt-6', 'sol', 'gpt-6-sol-nano', 'constructor', '', null, undefined])(
    'is not guessed for %s',
    model => {
      expect(priceOf([model], {})).toBeNull()
    },
  )

  it('gives way to the user’s own, and the first name that has one counts', () => {
    const own = { 'gpt-6-sol': { input: 1, output: 1 }, codex: { input: 7, output: 7 } }
    expect(priceOf(['gpt-6-sol', 'codex'], own)).toEqual({ input: 1, output: 1 })
    expect(priceOf(['auto', null, 'codex'], own)).toEqual({ input: 7, output: 7 })
  })
})

describe('an estimate', () => {
  const usage = { input: 1_000_000, output: 100_000, cacheRead: 800_000, cacheWrite: 100_000 }

  it('counts cached input apart, and every token once', () => {
    const price = { input: 2, output: 10, cached: 0.2, cacheWrite: 2.5 }
    expect(estimateUsd(price, usage)).toBeCloseTo(0.1 * 2 + 0.8 * 0.2 + 0.1 * 2.5 + 0.1 * 10, 10)
  })

  it('takes all input for new where the price says no more', () => {
    expect(estimateUsd({ input: 2, output: 10 }, usage)).toBeCloseTo(3, 10)
  })
})

it.each([
  [['codex', 'exec', '-m', 'gpt-6-sol', '-'], 'gpt-6-sol'],
  [['gemini', '--model', 'gemini-2.5-pro'], 'gemini-2.5-pro'],
  [['gemini', '--model=gemini-2.5-pro'], 'gemini-2.5-pro'],
  [['codex', 'exec', '-'], null],
])('the model in %j is %s', (words, model) => expect(modelIn(words)).toBe(model))

it('the page on agents tells the date of the list prices', () => {
  const page = readFileSync(join(import.meta.dirname, '..', '..', 'docs', 'agents.md'), 'utf8')
  expect(page).toContain(`those of ${PRICES_OF}`)
})
