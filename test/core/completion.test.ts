import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  readBlocked,
  readFailed,
  readPromise,
  readReject,
  readTag,
  saysDone,
} from '../../src/core/completion.ts'

describe('reading a tag', () => {
  it.each([
    ['<response>DONE</response>', 'DONE'],
    ['words <response>  done \t</response> words', 'done'],
    ['<RESPONSE>a</Response>', 'a'],
    ['<response>first</response><response>second</response>', 'first'],
    ['<response></response>', ''],
    ['<response>a < b</response>', 'a < b'],
    ['<response>a</respons><response>b</response>', 'a</respons><response>b'],
    ['İİİ <response>DONE</response>', 'DONE'],
    ['<response>two\nlines</response> <response>one</response>', 'one'],
    ['<response>open\n<response>DONE</response>', 'DONE'],
  ])('finds in %j the words %j', (text, words) => {
    expect(readTag(text, 'response')).toBe(words)
  })

  it.each([
    '',
    'response',
    '<response>',
    '</response><response>',
    '<response >DONE</response>',
    '<responses>DONE</responses>',
    '<response>two\nlines</response>',
  ])('finds nothing in %j', text => {
    expect(readTag(text, 'response')).toBeNull()
  })

  it('reads across lines where that is asked for', () => {
    expect(readTag('<promise>\nALL\nDONE\n</promise>', 'promise', { acrossLines: true })).toBe('ALL\nDONE')
  })

  it('agrees with the pattern that says the same, on any text', () => {
    const piece = fc.constantFrom('<a>', '</a>', '<A>', '</A>', '\n', 'x', '<', ' ', '<a', '/a>', 'İ')
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), fc.boolean(), (pieces, acrossLines) => {
        const text = pieces.join('')
        const pattern = acrossLines ? /<a>([\s\S]*?)<\/a>/i : /<a>([^\n]*?)<\/a>/i
        expect(readTag(text, 'a', { acrossLines })).toBe(pattern.exec(text)?.[1]?.trim() ?? null)
      }),
      { numRuns: 5000 },
    )
  })

  // A reader that looks back would need hours for these, not moments.
  it.each([
    ['opened and never closed', '<response>'.repeat(1_000_000)],
    ['opened on a million lines', '<response>\n'.repeat(1_000_000)],
    ['closed and never opened', '</response>'.repeat(1_000_000)],
    ['full of brackets', `<response>${'<'.repeat(5_000_000)}`],
  ])('goes once over a text that is %s', (_, text) => {
    expect(readTag(text, 'response')).toBeNull()
  })
})

describe('the completion response', () => {
  it.each([
    ['<response>DONE</response>', 'DONE', true],
    ['<response> done </response>', 'DONE', true],
    ['<response>DONE</response>', ' done ', true],
    ['<response>DONE.</response>', 'DONE', false],
    ['<response>NOT DONE</response>', 'DONE', false],
    ['DONE', 'DONE', false],
    ['<response>CONTINUE</response><response>DONE</response>', 'DONE', false],
    ['<response>DO\nNE</response>', 'DO\nNE', false],
    ['<response></response>', '', false],
  ])('%j with %j asked for: %j', (text, want, done) => {
    expect(saysDone(text, want)).toBe(done)
  })
})

it('reads promises, rejections, failures and questions across lines', () => {
  expect(readPromise('<promise>REVIEW_PASSED</promise>')).toBe('REVIEW_PASSED')
  expect(readReject('<reject>\nno tests\n</reject>')).toBe('no tests')
  expect(readFailed('<failed>the build\nbroke</failed>')).toBe('the build\nbroke')
  expect(readBlocked('<Blocked>which key?</blocked>')).toBe('which key?')
  expect(readBlocked('<failed>no</failed>')).toBeNull()
})
