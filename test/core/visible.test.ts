import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  hiddenIn,
  printable,
  printableLine,
  quote,
  safeJson,
  visible,
  visibleText,
} from '../../src/core/visible.ts'

/** By other words than those of the code: what may never be shown as it is. */
const UNSEEN = [
  /\p{Control}/u,
  /\p{Format}/u,
  /\p{Surrogate}/u,
  /\p{Private_Use}/u,
  /\p{Unassigned}/u,
  /(?! )\p{Separator}/u,
  /\p{Default_Ignorable_Code_Point}/u,
  /\p{Variation_Selector}/u,
  /[\u2800\u{16fe4}\u{1d159}]/u,
]

const isUnseen = (char: string) => UNSEEN.some(kind => kind.test(char))

const read = (shown: string) =>
  shown.replace(/\\u\{([0-9a-f]+)\}/g, (_, hex) => String.fromCodePoint(Number.parseInt(hex, 16)))

/** Mostly what is hard: hidden characters, and what looks like their escapes. */
const text = fc.string({
  unit: fc.oneof(
    fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
    fc.constantFrom(...' \t\r\n\\u{}20abé5c', '\\u{200b}', '\\\\', '\u200b', '\x1b', '\ud83d', '😀'),
    fc.constantFrom('\u0300', '        ', '\ufe0f', '\u202e'),
  ),
  maxLength: 40,
})

const NAMED: [string, string, string][] = [
  ['NUL', '\0', '\\u{0}'],
  ['a line break', '\n', '\\u{a}'],
  ['a tab', '\t', '\\u{9}'],
  ['a carriage return', '\r', '\\u{d}'],
  ['a backspace', '\b', '\\u{8}'],
  ['an escape', '\x1b', '\\u{1b}'],
  ['DEL', '\x7f', '\\u{7f}'],
  ['CSI in 8 bits', '\x9b', '\\u{9b}'],
  ['a space that does not break', '\xa0', '\\u{a0}'],
  ['a soft hyphen', '\xad', '\\u{ad}'],
  ['a joiner of graphemes', '\u034f', '\\u{34f}'],
  ['a Hangul filler', '\u3164', '\\u{3164}'],
  ['a space of zero width', '\u200b', '\\u{200b}'],
  ['a joiner of zero width', '\u200d', '\\u{200d}'],
  ['a direction override', '\u202e', '\\u{202e}'],
  ['a direction isolate', '\u2066', '\\u{2066}'],
  ['a line separator', '\u2028', '\\u{2028}'],
  ['a paragraph separator', '\u2029', '\\u{2029}'],
  ['an ideographic space', '\u3000', '\\u{3000}'],
  ['a byte order mark', '\ufeff', '\\u{feff}'],
  ['a variation selector', '\ufe0f', '\\u{fe0f}'],
  ['a tag', '\u{e0041}', '\\u{e0041}'],
  ['a blank of Braille', '\u2800', '\\u{2800}'],
  ['half a pair', '\ud83d', '\\u{d83d}'],
  ['one of private use', '\ue000', '\\u{e000}'],
]

describe('a text made visible', () => {
  it.each(NAMED)('shows %s', (_, char, shown) => {
    expect(visible(`a${char}b`)).toBe(`a${shown}b`)
  })

  it('shows what can be seen as it is', () => {
    const seen = 'npm test && grep -E "\\.ts$|\\n|\\u200b" grün 日本語 עברית 😀 ✅ e\u0301'
    expect(visible(seen)).toBe(seen)
  })

  it('shows a real backslash apart from one of ralph’s', () => {
    expect(visible('\\u{200b}')).toBe('\\u{5c}u{200b}')
    expect(visible('\\\u200b')).toBe('\\\\u{200b}')
  })

  it('shows spaces at its ends, and that there are more than eight', () => {
    expect(visible(' a b ')).toBe('\\u{20}a b\\u{20}')
    expect(visible(`a${' '.repeat(10)}b`)).toBe(`a${' '.repeat(8)}\\u{20}\\u{20}b`)
  })

  it('piles no marks up', () => {
    expect(visible(`a${'\u0300'.repeat(10)}`)).toBe(`a${'\u0300'.repeat(8)}\\u{300}\\u{300}`)
  })

  it('holds nothing hidden, and can be read back, whatever it is', () => {
    fc.assert(
      fc.property(text, text => {
        expect([...visible(text)].filter(isUnseen)).toEqual([])
        expect(read(visible(text))).toBe(text)
      }),
      { numRuns: 3000 },
    )
  })

  it('in several lines keeps its line breaks and tabs, and is otherwise the same', () => {
    expect(visibleText('a\r\n\tb\n  c  \n\rd')).toBe('a\r\n\tb\n  c  \n\\u{d}d')
    fc.assert(
      fc.property(text, text => {
        const shown = visibleText(text).replace(/\t|\r?\n/g, '')
        expect([...shown].filter(isUnseen)).toEqual([])
        expect(read(visibleText(text))).toBe(text)
      }),
      { numRuns: 3000 },
    )
  })

  it('as JSON holds nothing hidden, and says the same', () => {
    expect(safeJson('\x9b\u{e0041}')).toBe('"\\u009b\\udb40\\udc41"')
    fc.assert(
      fc.property(text, text => {
        const shown = safeJson({ text }, 2)
        expect([...shown.replaceAll('\n', '')].filter(isUnseen)).toEqual([])
        expect(JSON.parse(shown)).toEqual({ text })
      }),
      { numRuns: 1000 },
    )
  })

  it('takes time in proportion to its length', () => {
    const long = `${' '.repeat(200_000)}${'\u0300'.repeat(200_000)}${'\\u{'.repeat(100_000)}`
    expect(read(visible(long))).toBe(long)
  })
})

describe('what is hidden in a command', () => {
  it('is named with its place, the first of it', () => {
    expect(hiddenIn('sh r\u200bun\x1b.sh')).toBe('U+200B at character 5')
    expect(hiddenIn('😀 \u{e0041}')).toBe('U+E0041 at character 3')
  })

  it.each(NAMED.filter(([, char]) => !'\t\n'.includes(char)))('may be %s', (_, char) => {
    expect(hiddenIn(`a${char}`)).toMatch(/^U\+[0-9A-F]{4,6} at character 2$/)
  })

  it.each(['npm test', 'for f in *; do\n\techo "$f"\ndone', 'echo grün 日本語 😀 ✅'])(
    'is nothing: %j',
    command => {
      expect(hiddenIn(command)).toBeNull()
    },
  )
})

describe('printable', () => {
  it.each([
    ['an escape', '\x1b]0;a\x07', '\\u{1b}]0;a\\u{7}'],
    ['C1 controls', '\x9b2J', '\\u{9b}2J'],
    ['a carriage return', 'a\rb', 'a\\u{d}b'],
    ['a direction override', '\u202e', '\\u{202e}'],
    ['zero width', 'a\u200bb\u200dc', 'a\\u{200b}b\\u{200d}c'],
    ['separators of lines', '\u2028\u2029', '\\u{2028}\\u{2029}'],
    ['a lone surrogate', '\ud800', '\\u{d800}'],
    ['colours that are not ralph’s', '\x1b[8m\x1b[38;5;1m\x1b[2K', '\\u{1b}[8m\\u{1b}[38;5;1m\\u{1b}[2K'],
  ])('escapes %s, with and without colours', (_, text, expected) => {
    for (const hasColours of [false, true])
      expect([printable(text, hasColours), printableLine(text, hasColours)]).toEqual([expected, expected])
  })

  it.each(['⚠️ ⏸️ 👩‍💻 naïve\xa0text 日本語', 'already\\u{1b} made visible', 'a\tb'])(
    'leaves %j as it is',
    text => {
      expect([printable(text), printable(text, true)]).toEqual([text, text])
    },
  )

  it('leaves ralph’s own colours where there are some, and escapes a line break in one line', () => {
    expect(printable('\x1b[32m✓\x1b[39m a\n', true)).toBe('\x1b[32m✓\x1b[39m a\n')
    expect(printableLine('\x1b[32m✓\x1b[39m a\n', true)).toBe('\x1b[32m✓\x1b[39m a\\u{a}')
    expect(printableLine('a\nb')).toBe('a\\u{a}b')
  })
})

it.each([
  ['short', '"short"'],
  ['a\nb\u202e', '"a\\nb\\u202e"'],
  [`${'x'.repeat(61)}`, `"${'x'.repeat(60)}…"`],
  [`${'x'.repeat(59)}🚀`, `"${'x'.repeat(59)}…"`],
  [`${'x'.repeat(58)}🚀!`, `"${'x'.repeat(58)}🚀…"`],
])('%j in quotes is %s: on one line, and no longer than 60 characters', (text, quoted) => {
  expect(quote(text)).toBe(quoted)
})
