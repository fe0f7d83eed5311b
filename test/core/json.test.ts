import fc from 'fast-check'
import { expect, test } from 'vitest'
import { JsonError, OWN_DEPTH, parseJson } from '../../src/core/json.ts'

const errorOf = (act: () => unknown): unknown => {
  try {
    return act()
  } catch (error) {
    return error
  }
}

/** Whatever is not JSON: its place lies inside the text, or right behind it, and there is a sentence about it. */
function agreesWithNode(text: string): void {
  const error = errorOf(() => parseJson(text))
  const isSound = !(errorOf(() => JSON.parse(text)) instanceof SyntaxError)
  expect(error instanceof JsonError, text).toBe(!isSound)
  if (!(error instanceof JsonError)) return
  expect(error.at >= 0 && error.at <= text.length, text).toBe(true)
  expect(error.what, text).toMatch(/^[^\n]+$/)
  expect(error.what).not.toMatch(/position|line \d/)
}

test('whatever is cut out of or put into a sound text, it agrees with JSON.parse', () => {
  const sound = '{ "a": [1, -2.5e+3, true, null], "b\\u00e9\\n": { "c": "" , "d":"x\\\\"} }'
  const bits = fc.constantFrom(...['', ...'",{}[]:01.e-\\\n\u0001x\'#😀', 'null', '//'])
  fc.assert(
    fc.property(fc.nat(sound.length), fc.nat(3), bits, (at, drop, put) =>
      agreesWithNode(sound.slice(0, at) + put + sound.slice(at + drop)),
    ),
    { numRuns: 3000 },
  )
})

test('of any text it agrees with JSON.parse', () => {
  fc.assert(fc.property(fc.string({ unit: fc.constantFrom(...'{}[]":,01.e-\\ntrue \n') }), agreesWithNode))
})

test.each([
  ['[1, x]', 4, 'unexpected "x"'],
  [`[${'1,'.repeat(50_000)}?${',1'.repeat(50_000)}]`, 100_001, 'unexpected "?"'],
  ['[trUe]', 3, 'unexpected "U"'],
  ['', 0, 'the file ends too early'],
  ['[tru', 4, 'the file ends too early'],
  ['{"a":1 "b":2}', 7, "expected ',' or '}' after property value"],
  ['{"a": "b', 8, 'the file ends too early'],
])('%.20s: the place and the rule, in every version of Node', (text, at, what) => {
  expect(errorOf(() => parseJson(text))).toMatchObject({ at, what })
})

const deep = (n: number, open = '[', close = ']') => open.repeat(n) + close.repeat(n)

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
