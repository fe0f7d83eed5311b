import { describe, expect, it } from 'vitest'
import type { Finding } from '../../src/core/events.ts'
import { completionHint, promptText } from '../../src/workflows/run/rules/prompt.ts'
import { countLine, doubtNotes } from '../../src/workflows/shared/prompt-parts.ts'

describe('the count in a prompt', () => {
  it.each([
    [1, 10, 'Iteration 1 of 10, 9 remaining.'],
    [10, 10, 'Iteration 10 of 10, 0 remaining.'],
    [12, 10, 'Iteration 12 of 10, 0 remaining.'],
    [3, null, 'Iteration 3.'],
  ])('of iteration %j of %j is %j', (n, of, line) => {
    expect(countLine(n, of)).toBe(line)
  })
})

const red = (note: string, action: Finding['action']): Finding => ({
  check: 'c',
  verdict: 'fail',
  note,
  action,
})
const nothing = { count: null, interrupted: false, doubts: [], instructions: [], hint: 'HINT', lastRed: [] }
const compose = (base: string, more: Partial<Parameters<typeof promptText>[1]> = {}) =>
  promptText(base, { ...nothing, ...more })

describe('the prompt of a run', () => {
  it('has the count first, two newlines before the rest, and doubts after what failed', () => {
    const lastRed = [red('A', 'APPEND'), red('P', 'PREPEND')]
    expect(compose('BASE', { count: 'Iteration 3.', doubts: ['DOUBT'], hint: null, lastRed })).toBe(
      'Iteration 3.\n\nP\n\nBASE\n\nA\n\nDOUBT',
    )
  })

  it('has what replaces the base prompt instead of it, and no hint', () => {
    const lastRed = [red('R1', 'REPLACE'), red('A', 'APPEND'), red('R2', 'REPLACE'), red('P', 'PREPEND')]
    expect(compose('BASE', { lastRed })).toBe('P\n\nR1\n\nR2\n\nA')
    expect(compose('BASE', { lastRed: lastRed.slice(0, 1) })).toBe('R1')
  })

  it('warns of a half-edited tree, and has every instruction after what failed, then the hint', () => {
    const lastRed = [red('RED', 'APPEND')]
    expect(compose('BASE', { interrupted: true, lastRed, instructions: ['a', 'b'] })).toMatch(
      /^Note: the previous iteration was interrupted\. .*\n\nBASE\n\nRED\n\nInstruction from the user: a\n\nInstruction from the user: b\n\nHINT$/,
    )
  })

  it.each(['Say <response>DONE</response>.', 'Say <Response>OTHER</Response>.', 'line\nuse <RESPONSE> tags'])(
    'goes without the hint where it speaks of the tag itself: %j',
    base => expect(compose(base)).toBe(base),
  )

  it.each(['Fix the response.', 'Answer with </response>.', 'Mind <responses>.', ''])(
    'has the hint where the tag is not spoken of: %j',
    base => expect(compose(base)).toBe(`${base}\n\nHINT`),
  )

  it.each(['APPEND', 'PREPEND'] as const)(
    'has the hint although the output of a check with %s holds the tag',
    action =>
      expect(compose('BASE', { lastRed: [red('got <response>x</response>', action)] })).toMatch(/\n\nHINT$/),
  )

  it('has no hint where none is wanted', () => {
    expect(compose('BASE', { hint: null })).toBe('BASE')
  })
})

describe('the hint', () => {
  it('is one sentence that says how to end, when, and that checks follow', () => {
    expect(completionHint({ response: 'DONE', pattern: null }, true)).toBe(
      "When everything asked for is done, and only then, end your final message with <response>DONE</response>; the project's checks are then run to verify it.",
    )
  })

  it('promises no checks where there are none', () => {
    expect(completionHint({ response: 'SHIPPED', pattern: null }, false)).toBe(
      'When everything asked for is done, and only then, end your final message with <response>SHIPPED</response>.',
    )
  })

  it.each([
    ['no condition', null, null],
    ['a done pattern alone', null, 'all tasks'],
    ['a done pattern beside a response', 'DONE', 'all tasks'],
  ])('is none with %s', (_, response, pattern) => {
    expect(completionHint({ response, pattern }, true)).toBeNull()
  })
})

it('a doubt is told where it can be put right: in the folder that it is about', () => {
  const doubtOf = (note: string) => [{ check: 'tests', verdict: 'pass' as const, note, doubts: [note] }]
  const doubts = { '': doubtOf('of the project'), '../w/T1': doubtOf('of T1') }
  expect([undefined, '../w/T1', '../w/T2'].map(name => doubtNotes({ doubts }, name))).toEqual([
    ['of the project'],
    ['of T1'],
    [],
  ])
})
