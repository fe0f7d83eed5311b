import { describe, expect, it } from 'vitest'
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

  it('comes first, two newlines before the rest', () => {
    const red = (action: 'APPEND' | 'PREPEND') => ({
      check: 'c',
      verdict: 'fail' as const,
      note: action,
      action,
    })
    const text = promptText('BASE', {
      count: 'Iteration 3.',
      interrupted: false,
      doubts: ['DOUBT'],
      instructions: [],
      hint: null,
      lastRed: [red('APPEND'), red('PREPEND')],
    })
    expect(text).toBe('Iteration 3.\n\nPREPEND\n\nBASE\n\nAPPEND\n\nDOUBT')
  })
})

describe('the prompt of a run', () => {
  const nothing = { count: null, interrupted: false, doubts: [], instructions: [], hint: 'HINT', lastRed: [] }
  const note = (note: string, action: 'APPEND' | 'PREPEND' | 'REPLACE') => ({
    check: 'c',
    verdict: 'fail' as const,
    note,
    action,
  })

  it('is the base prompt and the hint where nothing happened', () => {
    expect(promptText('BASE', nothing)).toBe('BASE\n\nHINT')
    expect(promptText('BASE', { ...nothing, hint: null })).toBe('BASE')
  })

  it('has no hint where the prompt speaks of the tag, in any case, but where a check does', () => {
    expect(promptText('say <Response>', nothing)).toBe('say <Response>')
    expect(promptText('BASE', { ...nothing, lastRed: [note('<response>', 'APPEND')] })).toBe(
      'BASE\n\n<response>\n\nHINT',
    )
  })

  it('has what replaces the base prompt instead of it, and no hint', () => {
    const lastRed = [note('R1', 'REPLACE'), note('A', 'APPEND'), note('R2', 'REPLACE'), note('P', 'PREPEND')]
    expect(promptText('BASE', { ...nothing, lastRed })).toBe('P\n\nR1\n\nR2\n\nA')
    expect(promptText('BASE', { ...nothing, lastRed: [note('R1', 'REPLACE')] })).toBe('R1')
  })

  it('warns of a half-edited tree, and has every instruction', () => {
    const text = promptText('BASE', { ...nothing, interrupted: true, instructions: ['a', 'b'] })
    expect(text).toMatch(
      /^Note: the previous iteration was interrupted\. .*\n\nBASE\n\nInstruction from the user: a\n\nInstruction from the user: b\n\nHINT$/,
    )
  })
})

describe('the hint', () => {
  it('says how to report that all is done, and that checks run', () => {
    const how =
      'When everything asked for is done, and only then, end your final message with <response>DONE</response>'
    expect(completionHint({ response: 'DONE', pattern: null }, false)).toBe(`${how}.`)
    expect(completionHint({ response: 'DONE', pattern: null }, true)).toBe(
      `${how}; the project's checks are then run to verify it.`,
    )
  })

  it('is not given without a response, or with a pattern', () => {
    expect(completionHint({ response: null, pattern: null }, true)).toBeNull()
    expect(completionHint({ response: 'DONE', pattern: 'x' }, true)).toBeNull()
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
