import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { CUT_LINE, MAX_LINE, splitLines } from '../../src/runners/process/lines.ts'

function split(chunks: Iterable<Buffer>, limits?: { max: number; keep: number }) {
  const lines: { line: string; cut: boolean }[] = []
  const splitter = splitLines((line, cut) => lines.push({ line, cut }), limits)
  for (const chunk of chunks) splitter.push(chunk)
  splitter.end()
  return lines
}

const texts = (chunks: Iterable<Buffer>) => split(chunks).map(({ line }) => line)

/** The same by the shortest way: latin1 keeps every byte as it is while the text is taken apart. */
function splitSimply(bytes: Buffer, { max, keep }: { max: number; keep: number }) {
  const raw = bytes.toString('latin1').split('\n')
  if (raw.at(-1) === '') raw.pop()
  return raw.map(text => {
    const cut = text.length > max
    const kept = cut ? text.slice(0, keep) : text.replace(/\r$/, '')
    return { line: Buffer.from(kept, 'latin1').toString('utf8'), cut }
  })
}

function cutAt(bytes: Buffer, places: number[]): Buffer[] {
  const at = [0, ...places.map(place => place % (bytes.length + 1)).sort((a, b) => a - b), bytes.length]
  return at.slice(1).map((end, index) => bytes.subarray(at[index], end))
}

describe('splitLines', () => {
  test('gives the same lines for any bytes in any chunks', () => {
    const piece = fc.oneof(
      fc.constantFrom('\n', '\n\n', '\r\n', '\r', 'é', '中', '😀').map(text => Buffer.from(text)),
      fc.string({ unit: 'binary', maxLength: 12 }).map(text => Buffer.from(text)),
      fc.uint8Array({ maxLength: 12 }).map(bytes => Buffer.from(bytes)),
    )
    const limits = fc.record({ max: fc.integer({ min: 10, max: 40 }), keep: fc.integer({ min: 1, max: 10 }) })
    fc.assert(
      fc.property(fc.array(piece), fc.array(fc.nat()), limits, (pieces, places, limit) => {
        const bytes = Buffer.concat(pieces)
        expect(split(cutAt(bytes, places), limit)).toEqual(splitSimply(bytes, limit))
      }),
      { numRuns: 2000 },
    )
  })

  test('keeps a character whole that comes in two chunks', () => {
    const bytes = Buffer.from('a😀b\n')
    expect(texts([bytes.subarray(0, 3), bytes.subarray(3)])).toEqual(['a😀b'])
  })

  test('replaces what is no UTF-8', () => {
    expect(texts([Buffer.from([0x61, 0xff, 0x62, 10])])).toEqual(['a\ufffdb'])
  })

  test('drops one CR before the newline, and no other', () => {
    expect(texts([Buffer.from('a\r'), Buffer.from('\nb\rc\r\r\n\r\n')])).toEqual(['a', 'b\rc\r', ''])
  })

  test('gives empty lines, and a last line that has no newline', () => {
    expect(texts([Buffer.from('\n\na')])).toEqual(['', '', 'a'])
    expect(texts([])).toEqual([])
  })

  test('gives a line of the greatest length whole', () => {
    const [first, second] = split([Buffer.alloc(MAX_LINE, 'x'), Buffer.from('\nnext')])
    expect([first?.line.length, first?.cut]).toEqual([MAX_LINE, false])
    expect(second).toEqual({ line: 'next', cut: false })
  })

  test('gives a longer line once, cut, and goes on with the next, in flat memory', () => {
    const chunk = Buffer.alloc(1 << 20, 'x')
    function* chunks() {
      for (let n = 0; n < 1024; n++) yield chunk
      yield Buffer.from('\nnext\n')
    }
    const before = process.memoryUsage().arrayBuffers
    const lines = split(chunks())
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(4 * MAX_LINE)
    expect(lines).toEqual([
      { line: 'x'.repeat(CUT_LINE), cut: true },
      { line: 'next', cut: false },
    ])
  })

  test('needs time in proportion to a long line, however small its chunks', () => {
    const tiny = Buffer.from('x')
    function* chunks() {
      for (let n = 0; n < 700_000; n++) yield tiny
    }
    expect(texts(chunks())).toEqual(['x'.repeat(700_000)])
  })
})
