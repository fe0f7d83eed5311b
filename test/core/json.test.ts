import fc from 'fast-check'
import { expect, test } from 'vitest'
import { findFlaw, JsonError, OWN_DEPTH, parseJson } from '../../src/core/json.ts'

const parses = (text: string): boolean => {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

test('it accepts what JSON.parse accepts', () => {
  fc.assert(
    fc.property(fc.json(), fc.nat(3), (text, indent) => {
      const pretty = JSON.stringify(JSON.parse(text), null, indent)
      expect(findFlaw(pretty), pretty).toBeNull()
    }),
  )
})

test('whatever is cut out of or put into a sound text, it agrees with JSON.parse', () => {
  const sound = '{ "a": [1, -2.5e+3, true, null], "b\\u00e9\\n": { "c": "" , "d":"x\\\\"} }'
  const bits = fc.constantFrom(
    '',
    '"',
    ',',
    '{',
    '}',
    '[',
    ']',
    ':',
    '0',
    '1',
    '.',
    'e',
    '-',
    '\\',
    '\n',
    '\u0001',
    'x',
    'null',
    '//',
  )
  fc.assert(
    fc.property(fc.nat(sound.length), fc.nat(3), bits, (at, drop, put) => {
      const text = sound.slice(0, at) + put + sound.slice(at + drop)
      const flaw = findFlaw(text)
      if (flaw?.what.includes('given twice')) return
      expect(flaw === null, `${text} ${flaw?.what}`).toBe(parses(text))
    }),
    { numRuns: 3000 },
  )
})

test('a flaw lies inside the text, or right behind it', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom(...'{}[]":,01.e-\\ntrue \n') }), text => {
      const flaw = findFlaw(text)
      expect(flaw === null || (flaw.at >= 0 && flaw.at <= text.length)).toBe(true)
    }),
  )
})

test('depth is bounded, so that a hostile file ends as a sentence', () => {
  expect(findFlaw('['.repeat(64) + ']'.repeat(64))).toBeNull()
  expect(findFlaw('['.repeat(500_000))).toEqual({ at: 64, what: 'nested deeper than 64 levels' })
})

const deep = (n: number, open = '[', close = ']') => open.repeat(n) + close.repeat(n)

const errorOf = (act: () => unknown): unknown => {
  try {
    return act()
  } catch (error) {
    return error
  }
}

test.each([
  ['arrays', deep(200_000)],
  ['objects', deep(200_000, '{"a":', '}').replace('{"a":}', '{"a":1}')],
  ['arrays that never close', '['.repeat(1_000_000)],
  ['both, after strings with brackets and quotes', `["]]\\"]]",${deep(70, '[{"a":', '}]')}]`],
])('nested %s are refused with their place, without exhausting the stack', (_, text) => {
  const error = errorOf(() => parseJson(text))
  expect(error).toBeInstanceOf(JsonError)
  expect((error as JsonError).message).toMatch(/^line 1, column \d+: nested deeper than 64 levels$/)
})

test('the depth is that of what is open, and brackets in strings do not count', () => {
  const wide = `[${Array.from({ length: 500 }, () => '[[]]').join()},"${'['.repeat(500)}\\"${'{'.repeat(500)}"]`
  expect(parseJson(wide)).toEqual(JSON.parse(wide))
  expect(parseJson(deep(100), OWN_DEPTH)).toEqual(JSON.parse(deep(100)))
})

test('it gives what JSON.parse gives, with a byte order mark or without', () => {
  fc.assert(
    fc.property(fc.json(), text => {
      expect(parseJson(text)).toEqual(JSON.parse(text))
    }),
  )
  expect(parseJson('\ufeff{"a":1}')).toEqual({ a: 1 })
})

test('what is not JSON is told with its line and column', () => {
  const error = errorOf(() => parseJson('{\n  "a": 1,\n}')) as JsonError
  expect([error.message, error.place]).toEqual(['line 2, column 9: remove the comma before "}"', '2:9'])
})
