import { describe, expect, it } from 'vitest'
import { contextWindow, readContextUse } from '../../src/core/context-use.ts'
import { contextAlert, highestReached } from '../../src/hooks/context-use.ts'

const answer = (tokens: number, more: object = {}) =>
  JSON.stringify({
    type: 'assistant',
    message: {
      model: 'claude-opus-4-5',
      usage: { input_tokens: 1, cache_read_input_tokens: tokens - 3, cache_creation_input_tokens: 2 },
    },
    ...more,
  })

describe('the context in use', () => {
  it('is what the last answer was given: input, and what was read from and written to the cache', () => {
    expect(readContextUse([answer(5000), answer(9000), '{"type":"user"}', ''])).toEqual({
      type: 'counted',
      tokens: 9000,
      model: 'claude-opus-4-5',
    })
  })

  it.each([
    ['of a subagent', answer(9, { isSidechain: true })],
    ['that no model gave', answer(0, { message: { model: '<synthetic>', usage: { input_tokens: 0 } } })],
    ['that is cut', answer(9).slice(0, 60)],
    ['that a person quotes', JSON.stringify({ type: 'user', message: { content: answer(9) } })],
    ['that has no message', '{"type":"assistant","message":null,"usage":1}'],
    ['that is no object', '"usage"'],
    ['that is nothing', 'null "usage"'],
  ])('is not told by a line %s', (_, line) => {
    expect(readContextUse([line])).toBeNull()
    expect(readContextUse([answer(5000), line])).toMatchObject({ tokens: 5000 })
  })

  it('is unknown after a compaction, until the next answer', () => {
    const compacted = '{"type":"system","subtype":"compact_boundary"}'
    expect(readContextUse([answer(9000), compacted, 'x'.repeat(100), ''])).toEqual({
      type: 'compacted',
      since: 100,
    })
    expect(readContextUse([answer(9000), compacted, answer(700)])).toMatchObject({ tokens: 700 })
  })
})

describe('the window', () => {
  it.each([
    ['claude-opus-5-5', 1_000_000],
    ['claude-sonnet-5', 1_000_000],
    ['claude-haiku-5-5', 1_000_000],
    ['us.anthropic.claude-opus-4-7-v1:0', 1_000_000],
    ['claude-sonnet-4-6[1m]', 1_000_000],
    ['claude-sonnet-4-6', 200_000],
    ['claude-opus-4-6', 200_000],
    ['claude-opus-4-20250514', 200_000],
    ['claude-haiku-4-5-20251001', 200_000],
    ['claude-3-5-sonnet-20241022', 200_000],
    ['something-else-7', 200_000],
    [null, 200_000],
  ])('of %s is %d', (model, window) => {
    expect(contextWindow(model, null, 0)).toBe(window)
  })

  it('is the long one if the session was started so, with this model', () => {
    expect(contextWindow('claude-sonnet-4-6', 'claude-sonnet-4-6[1m]', 0)).toBe(1_000_000)
    expect(contextWindow('claude-haiku-4-5', 'claude-sonnet-4-6[1m]', 0)).toBe(200_000)
  })

  it('is the long one if more is in it than fits the short one', () => {
    expect(contextWindow('something-else-7', null, 200_001)).toBe(1_000_000)
  })
})

describe('a threshold', () => {
  it.each([
    [99_999, null],
    [100_000, 50],
    [119_999, 50],
    [120_000, 60],
    [140_000, 70],
    [160_000, 80],
    [179_999, 80],
    [180_000, 90],
    [500_000, 90],
  ])('with %d of 200000 tokens is %s', (tokens, threshold) => {
    expect(highestReached(tokens, 200_000)).toBe(threshold)
  })

  it.each([
    [50, 'NOTICE', /add new stories to tasks\.json — the next iteration will pick them up\.$/],
    [
      60,
      'NOTICE',
      /^NOTICE: 55% of the context window is used \(110K of 200K tokens\)\. Be mindful of remaining/,
    ],
    [70, 'WARNING', /Finish your current task and commit soon\. Do not start additional tasks\./],
    [80, 'WARNING', /capture any implementation details or insights in progress\.txt/],
    [
      90,
      'CRITICAL',
      /Wrap up immediately\. Do NOT start new work\. Instead: \(1\) create tasks in tasks\.json/,
    ],
  ] as const)(
    'of %d %% is a %s, and speaks of the list only in a story loop',
    (threshold, severity, words) => {
      const use = { tokens: 110_000, window: 200_000 }
      const inLoop = contextAlert(threshold, { ...use, inStories: true })
      expect(inLoop).toMatch(words)
      const elsewhere = contextAlert(threshold, { ...use, inStories: false })
      expect([inLoop, elsewhere].every(text => text.startsWith(`${severity}: 55% of the context`))).toBe(true)
      expect(elsewhere).not.toMatch(/tasks\.json|progress\.txt|stories|iteration|commit/)
    },
  )
})
