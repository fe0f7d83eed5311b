import fc from 'fast-check'
import { expect, test } from 'vitest'
import { findFlaw } from '../../src/settings/json.ts'

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
