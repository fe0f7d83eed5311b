import { describe, expect, it } from 'vitest'
import type { Finding } from '../../src/core/events.ts'
import { completionHint, promptText } from '../../src/workflows/run/rules/prompt.ts'

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

describe('the prompt', () => {
  const red = (action: Finding['action'], note: string): Finding => ({
    check: 'c',
    verdict: 'fail',
    note,
    action,
  })
  const compose = (base: string, lastRed: Finding[] = [], told: string[] = []) =>
    promptText(base, {
      count: null,
      interrupted: false,
      lastRed,
      doubts: [],
      instructions: told,
      hint: 'HINT',
    })

  it('ends with the hint, after what failed and what the user told', () => {
    expect(compose('BASE', [red('APPEND', 'RED')], ['Mind it.'])).toBe(
      'BASE\n\nRED\n\nInstruction from the user: Mind it.\n\nHINT',
    )
  })

  it.each(['Say <response>DONE</response>.', 'Say <Response>OTHER</Response>.', 'line\nuse <RESPONSE> tags'])(
    'goes without it where it speaks of the tag itself: %j',
    base => expect(compose(base)).toBe(base),
  )

  it.each(['Fix the response.', 'Answer with </response>.', 'Mind <responses>.', ''])(
    'has it where the tag is not spoken of: %j',
    base => expect(compose(base)).toBe(`${base}\n\nHINT`),
  )

  it.each(['APPEND', 'PREPEND'] as const)(
    'has it although the output of a check with %s holds the tag',
    action => expect(compose('BASE', [red(action, 'got <response>x</response>')])).toMatch(/\n\nHINT$/),
  )

  it('has none while a red check stands in for the prompt', () => {
    expect(compose('BASE', [red('REPLACE', 'RED')])).toBe('RED')
  })

  it('has none where none is wanted', () => {
    expect(
      promptText('BASE', {
        count: null,
        interrupted: false,
        lastRed: [],
        doubts: [],
        instructions: [],
        hint: null,
      }),
    ).toBe('BASE')
  })
})
