import fc from 'fast-check'
import stringWidth from 'string-width'
import { describe, expect, it } from 'vitest'
import { splitTo, wrapStyled, wrapTo } from '../../src/view/text/fit.ts'
import { plain } from '../../src/view/text/plain.ts'
import { cutPathTo, cutTo, NARROW, widthOf } from '../../src/view/text/width.ts'

const RED = '\x1b[31m'
const END = '\x1b[39m'

describe('a line that is cut', () => {
  it.each([
    ['fits as it is', 'abcde', 5, 'abcde'],
    ['ends with a mark', 'abcdef', 5, 'abcd…'],
    ['counts wide characters twice', '日本語日本語', 7, '日本語…'],
    ['does not cut a wide character in half', '日本語日本語', 6, '日本…'],
    ['counts emoji twice', '✅✅✅✅', 5, '✅✅…'],
    ['keeps marks with what they are on', 'e\u0301e\u0301e\u0301e\u0301', 3, 'e\u0301e\u0301…'],
    ['does not count colours', `${RED}abc${END}de`, 5, `${RED}abc${END}de`],
    ['closes the colours it opened', `${RED}abcdef${END}gh`, 4, `${RED}abc…${END}`],
  ])('%s', (_, line, columns, seen) => {
    expect(cutTo(line, columns)).toBe(seen)
  })

  it('keeps the end of a path, but the beginning of anything else', () => {
    expect(cutPathTo('/home/me/src/cart.js', 12)).toBe('…src/cart.js')
    expect(cutPathTo('/bin/make all the tests', 12)).toBe('/bin/make a…')
    expect(cutPathTo('npm test -- --all', 12)).toBe('npm test --…')
    expect(cutPathTo('/short', 12)).toBe('/short')
  })
})

it('a line with colours is wrapped between its words, and its colours are not counted', () => {
  const line = `  ${RED}one two${END} three /a/long/path`
  expect(wrapStyled(line, 30)).toEqual([line])
  expect(wrapStyled(line, 15)).toEqual([`  ${RED}one two${END} three`, '    /a/long/path'])
  const row = `  ${RED}limits${END}   ten iterations, and no more`
  expect(wrapStyled(row, 28)).toEqual([`  ${RED}limits${END}   ten iterations,`, '           and no more'])
  expect(wrapStyled('[x] #1 Write the poem', 14)).toEqual(['[x] #1 Write', '    the poem'])
  expect(wrapStyled(line, 6)).toEqual([`  ${RED}one`, `   two${END}`, '   three', '   /a/long/path'])
})

describe('a line that is wrapped', () => {
  it.each<[string, string, number, string[]]>([
    ['breaks between words', 'one two three four', 9, ['one two', 'three', 'four']],
    ['keeps its indent', '    one two three', 11, ['    one two', '    three']],
    ['goes on behind a bullet', '- one two three', 9, ['- one two', '  three']],
    ['goes on behind a number', '12. one two three', 11, ['12. one two', '    three']],
    ['is broken within a word that is too long', 'a bcdefghijkl', 5, ['a', 'bcdef', 'ghijk', 'l']],
    ['is broken between the parts of such a word', 'a one,two/three', 9, ['a', 'one,two/', 'three']],
    ['is broken anywhere in a script without spaces', '日本語日本語', 5, ['日本', '語日', '本語']],
    ['has an indent of half its width at most', '        one two', 6, ['   one', '   two']],
    ['has at least one character in a row', '語語', 1, ['語', '語']],
    ['keeps the gaps between words that stay together', 'a  b   c', 8, ['a  b   c']],
  ])('%s', (_, line, columns, rows) => {
    expect(wrapTo(line, columns)).toEqual(rows)
  })

  it('loses nothing but spaces, and no row is too wide', () => {
    const texts = fc.string({
      unit: fc.oneof(fc.constantFrom(' ', 'a', 'b', '-', '語', '✅', 'é'), fc.string()),
    })
    fc.assert(
      fc.property(texts, fc.integer({ min: 4, max: 40 }), (text, columns) => {
        const line = plain(text).replaceAll('\n', ' ')
        const rows = wrapTo(line, columns)
        expect(rows.join('').replaceAll(' ', '')).toBe(line.replaceAll(' ', ''))
        for (const row of rows.slice(1)) expect(widthOf(row)).toBeLessThanOrEqual(columns)
      }),
    )
  })

  it('takes time in proportion to its length', () => {
    expect(wrapTo('x'.repeat(2_000_000), 80)).toHaveLength(25_000)
    expect(wrapTo('語'.repeat(20_000), 80)).toHaveLength(500)
  })
})

it('splits a text into rows that together are the text', () => {
  const part = fc.constantFrom('a', ' ', '  ', 'word', '日本', '👩‍💻', 'é', 'longer-than-a-row')
  fc.assert(
    fc.property(fc.array(part), fc.integer({ min: 4, max: 20 }), (parts, columns) => {
      const rows = splitTo(parts.join(''), columns)
      expect(rows.join('')).toBe(parts.join(''))
      for (const row of rows) expect(widthOf(row)).toBeLessThanOrEqual(columns)
    }),
  )
})

it('knows without measuring only characters that take one column, alone and beside others', () => {
  const found = Array.from({ length: 0x10000 }, (_, code) => String.fromCharCode(code)).filter(char =>
    NARROW.test(char),
  )
  expect(found.length).toBeGreaterThan(400)
  expect(found.filter(char => stringWidth(char) !== 1 || stringWidth(`a${char}b`) !== 3)).toEqual([])
})

it('measures any text as its characters are measured one by one, the first time and later', () => {
  const marks = ['👩‍💻', '日', 'é', '\u200d', '1\u20e3', 'ᄀ', '\ufe0f', '🇩', `${RED}語${END}`]
  const text = fc.string({ unit: fc.oneof(fc.constantFrom(...marks), fc.string({ unit: 'binary' })) })
  fc.assert(
    fc.property(text, any => {
      const line = plain(any)
      expect([widthOf(line), widthOf(line)]).toEqual([stringWidth(line), stringWidth(line)])
    }),
  )
})

it('measures more different characters than it remembers', () => {
  const all = Array.from({ length: 3000 }, (_, at) => String.fromCodePoint(0x4e00 + at))
  expect([...all, ...all].every(char => widthOf(char) === 2)).toBe(true)
})
