import { describe, expect, it } from 'vitest'
import { failurePause, limitedUntil, limitPause, reached, shareOf } from '../../src/core/limits.ts'
import { initial } from '../../src/core/table.ts'
import { LIMITS } from './play.ts'

it('waits 1, 2, 4 … at most 300 s after failures in a row', () => {
  const seconds = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 60, 2000].map(n => failurePause(n) / 1000)
  expect(seconds).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300, 300])
})

it('waits 1, 2, 4 … at most 15 min where a limit states no reset', () => {
  expect([1, 2, 3, 4, 5, 6, 2000].map(n => limitPause(n) / 60_000)).toEqual([1, 2, 4, 8, 15, 15, 15])
})

it('believes a stated reset only if it is still to come', () => {
  expect(limitedUntil(5000, 1, 4000)).toBe(5000)
  expect(limitedUntil(4000, 1, 4000)).toBe(64_000)
  expect(limitedUntil(10, 3, 4000)).toBe(244_000)
  expect(limitedUntil(undefined, 2, 4000)).toBe(124_000)
})

describe('another iteration', () => {
  const spent = { usd: 1.5, tokens: 900 }
  it.each([
    ['is allowed by default', {}, {}, 0, null],
    ['is allowed while money is left', { spent }, { usd: 1.51 }, 0, null],
    ['is refused when the budget is crossed', { spent }, { usd: 1.5 }, 0, 'budget: $1.50 of $1.50 are spent'],
    [
      'is refused when the tokens are used',
      { spent },
      { tokens: 900 },
      0,
      'budget: 900 of 900 tokens are used',
    ],
    ['is refused when time is up', {}, { ms: 120_000 }, 0, 'budget: the time limit of 2m0s is reached'],
    ['is allowed just before', {}, { ms: 120_001 }, 0, null],
    [
      'is refused when all are used',
      { n: 10 },
      { iterations: 10 },
      0,
      'exhausted: all 10 iterations are used',
    ],
    [
      'is refused when the last is under way',
      { n: 9 },
      { iterations: 10 },
      1,
      'exhausted: all 10 iterations are used',
    ],
    ['is allowed when one is left', { n: 8 }, { iterations: 10 }, 1, null],
  ])('%s', (_, state, limits, flying, says) => {
    const result = reached({ ...initial, ...state, limits: { ...LIMITS, ...limits } }, flying, 120_000)
    expect(result && `${result.result}: ${result.why}`).toBe(says)
  })
})

describe('the budget of agents that work at once', () => {
  const limits = { ...LIMITS, usd: 1 }
  const fly = (id: number, usd: number) => ({ id, task: 'T', stage: 's', agent: 'a', n: id, at: 0, usd })
  const stateWith = (usd: number, ...shares: number[]) => ({
    ...initial,
    limits,
    spent: { usd, tokens: 0 },
    flight: Object.fromEntries(shares.map((share, id) => [id, fly(id, share)])),
  })

  it('is shared by all that may be in flight, and never promised twice', () => {
    expect(shareOf(stateWith(0), 2)).toBe(0.5)
    expect(shareOf(stateWith(0, 0.5), 2)).toBe(0.5)
    expect(shareOf(stateWith(0.25, 0.5), 2)).toBe(0.25)
    expect(shareOf(stateWith(0.25), 1)).toBe(0.75)
    expect(shareOf({ ...stateWith(0), limits: LIMITS }, 2)).toBeNull()
  })

  it('is used up while those in flight may still spend the rest', () => {
    expect(reached(stateWith(0.4, 0.5), 1, 0)).toBeNull()
    expect(reached(stateWith(0.6, 0.5), 1, 0)).toMatchObject({ result: 'budget' })
    expect(shareOf(stateWith(0.6, 0.5), 2)).toBe(0)
    // It spent less than it might have.
    expect(reached(stateWith(0.7), 0, 0)).toBeNull()
  })
})
