import { expect, it } from 'vitest'
import { initial, type Limits } from '../../src/core/table.ts'
import { limitRows } from '../../src/view/limit-rows.ts'

const timeouts = { iterationTimeout: 7200, inactivityTimeout: 300 }
const limits: Limits = {
  ...initial.limits,
  iterations: 10,
  failures: 5,
  stuck: 3,
  limitWaitMs: 21_600_000,
}
const rowsOf = (some: Partial<Limits>, state = initial) =>
  limitRows({ ...limits, ...some }, timeouts, { state })

it.each<[Partial<Limits>, string]>([
  [{}, '10 iterations · no limit on cost, tokens or time'],
  [{ iterations: 1, usd: 5 }, '1 iteration · $5.00 · no limit on tokens or time'],
  [{ iterations: null, ms: 5_400_000 }, '1h30m · no limit on iterations, cost or tokens'],
  [{ usd: 5, tokens: 2_000_000, ms: 7_200_000 }, '10 iterations · $5.00 · 2.0M tokens · 2h'],
])('every limit is shown, and what has none: %j', (some, row) => {
  expect(rowsOf(some)).toEqual([
    ['limits', row],
    [
      '',
      '5 failures in a row · 3 iterations without progress · 2h an iteration · 5m of silence · 6h at a rate limit',
    ],
  ])
})

it('an agent that a worker watches by its screen has less time there', () => {
  const [, standing] = limitRows(limits, { ...timeouts, screenInactivityTimeout: 60 })
  expect(standing![1]).toContain(" · 5m of silence (1m on a worker's screen) · ")
})

it('a resumed run shows what is spent already', () => {
  const state = { ...initial, steps: 4, n: 3, spent: { usd: 1.2, tokens: 88_000 } }
  expect(rowsOf({}, state)[2]).toEqual(['spent', '3 iterations · $1.20 · 88K tokens'])
  expect(rowsOf({}, { ...state, spent: { usd: 0, tokens: 0 } })[2]).toEqual(['spent', '3 iterations'])
  const step = { id: 4, task: 'prompt', stage: 'work', n: 4, agent: 'claude', at: 0 }
  const ended = { ...step, ended: { exit: { code: 0, signal: null } } as never }
  expect(rowsOf({}, { ...state, flight: { 4: step } })[2]![1]).toMatch(/^3 iterations/)
  expect(rowsOf({}, { ...state, flight: { 4: ended } })[2]![1]).toMatch(/^4 iterations/)
})
