import { describe, expect, it } from 'vitest'
import { promptText } from '../../src/workflows/run/rules/prompt.ts'
import { countLine } from '../../src/workflows/shared/prompt-parts.ts'

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
      carry: [red('APPEND'), red('PREPEND')],
    })
    expect(text).toBe('Iteration 3.\n\nPREPEND\n\nBASE\n\nAPPEND\n\nDOUBT')
  })
})
