import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isOrdinary, printable, safeJson, visibleText } from '../../src/core/visible.ts'
import { plain, plainLine } from '../../src/view/text/plain.ts'

const ESC = '\x1b'

describe('what reaches the terminal', () => {
  it.each([
    ['colours', `${ESC}[31mred${ESC}[0m`, 'red'],
    ['a title by BEL', `${ESC}]0;evil\x07text`, 'text'],
    ['a title by ST', `${ESC}]2;evil${ESC}\\text`, 'text'],
    ['the clipboard', `${ESC}]52;c;ZXZpbA==\x07text`, 'text'],
    ['a link', `${ESC}]8;;http://evil\x07text${ESC}]8;;\x07`, 'text'],
    ['the cursor moved up and a line cleared', `a${ESC}[1A${ESC}[2Kb`, 'ab'],
    ['the screen cleared', `${ESC}[2J${ESC}[Htext`, 'text'],
    ['the alternate screen', `${ESC}[?1049htext`, 'text'],
    ['a device query', `${ESC}[6n${ESC}[ctext`, 'text'],
    ['a full reset', `${ESC}ctext`, 'text'],
    ['a character set', `${ESC}(0text`, 'text'],
    ['8-bit CSI', `\x9b31mtext`, 'text'],
    ['8-bit OSC', `\x9d0;evil\x9ctext`, 'text'],
    ['DCS', `${ESC}Pevil${ESC}\\text`, 'text'],
    ['an unfinished OSC', `text${ESC}]0;evil`, 'text'],
    ['an unfinished OSC before a newline', `${ESC}]0;evil\ntext`, '\ntext'],
    ['an unfinished CSI', `text${ESC}[`, 'text'],
    ['a lone escape', `text${ESC}`, 'text'],
    ['carriage returns', 'progress 1\rprogress 2', 'progress 1progress 2'],
    ['backspaces', 'rm\b\bls', 'rmls'],
    ['bells and NULs', 'a\x07b\x00c', 'abc'],
    ['direction overrides', 'user\u202etxt.exe', 'usertxt.exe'],
    ['direction isolates', '\u2066a\u2069', 'a'],
    ['zero-width characters', 'a\u200bb\ufeffc', 'abc'],
    ['tag characters', 'a\u{e0041}b', 'ab'],
    ['line separators', 'a\u2028b', 'ab'],
    ['marks piled up', `x${'\u0300'.repeat(500)}y`, `x${'\u0300'.repeat(8)}y`],
    ['half a pair', 'a\ud83db', 'a\ufffdb'],
    ['what makes an emoji', '⚠\ufe0f a\ufe0f', '⚠\ufe0f a'],
    ['a string that another sequence breaks off', `${ESC}]0;evil${ESC}[31mtext`, 'text'],
    ['tabs', 'a\tb', 'a    b'],
    ['ordinary text in any script', 'grün 日本語 😀 עברית', 'grün 日本語 😀 עברית'],
    ['newlines', 'a\nb', 'a\nb'],
  ])('%s', (_, text, seen) => {
    expect(plain(text)).toBe(seen)
  })

  it('is never a control character, whatever the text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), text => {
        expect(plain(text)).not.toMatch(/[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e]/)
      }),
      { numRuns: 2000 },
    )
  })

  it('takes time in proportion to the text', () => {
    const hostile = `${ESC}]`.repeat(200_000)
    expect(plain(hostile)).toBe('')
  })

  it('is one line of bounded length where one line is wanted', () => {
    expect(plainLine('a\n  b\n\nc')).toBe('a b c')
    expect(plainLine('x'.repeat(300))).toHaveLength(200)
    for (const before of ['', 'x']) expect(plainLine(before + '😀'.repeat(200))).toMatch(/😀…$/u)
  })
})

describe('an ordinary text', () => {
  it.each([
    ['', true],
    ['printable ASCII, all of it: ~!@#$%^&*()_+{}|"<>?', true],
    ['two\nlines', true],
    ['Grün, Łódź, Ωμέγα, Привет, 中文, かな, カナ, 한국어', true],
    ['“quotes” – dashes — … › ✓ ✗ ◉ ⏺ ⎿ → ┌─┐ ✅', true],
    ['x'.repeat(20_000), true],
    ['a tab\t', false],
    ['\x1b[31m', false],
    ['\x7f', false],
    ['\x9b31m', false],
    ['a\u00a0b', false],
    ['soft\u00adhyphen', false],
    ['a\u0301', false],
    ['\u202e', false],
    ['⚠\ufe0f', false],
    ['😀', false],
  ])('%j: %s', (text, ordinary) => {
    expect(isOrdinary(text)).toBe(ordinary)
  })

  it('has no character that any rule would hide, escape or remove', () => {
    const characters = Array.from({ length: 0x10000 }, (_, code) => String.fromCharCode(code))
    const ordinary = characters.filter(char => isOrdinary(char) && char !== '\n')
    const isChanged = (char: string) =>
      [printable, visibleText].some(show => show(char) !== char) ||
      JSON.parse(safeJson(char)) !== char ||
      safeJson(char) !== JSON.stringify(char) ||
      /[\p{M}\p{C}\p{Default_Ignorable_Code_Point}]|(?! )\p{Z}/u.test(char)
    expect(ordinary.length).toBeGreaterThan(20_000)
    expect(ordinary.filter(isChanged)).toEqual([])
  })
})
