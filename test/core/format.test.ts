import { describe, expect, it } from 'vitest'
import { wrapLines } from '../../src/core/format.ts'

describe('a line that is too long', () => {
  it('is broken at words, and keeps its margin', () => {
    expect(wrapLines('  one two three four', 11)).toBe('  one two\n  three\n  four')
  })

  it('keeps what stands in a column in that column', () => {
    const line = `  ralph gc --all       ${'of every project, '.repeat(3)}`.trimEnd()
    const rows = wrapLines(line, 60).split('\n')
    expect(rows[0]).toBe('  ralph gc --all       of every project, of every project,')
    expect(rows[1]).toBe('                       of every project,')
  })

  it('moves a column to a line of its own where it would be too narrow', () => {
    expect(wrapLines(`  ${'x'.repeat(30)}  what it does`, 40)).toBe(`  ${'x'.repeat(30)}\n      what it does`)
  })

  it('never cuts a word', () => {
    expect(wrapLines(`see ${'x'.repeat(30)} there`, 12)).toBe(`see\n${'x'.repeat(30)}\nthere`)
  })

  it('changes nothing that fits', () => {
    const text = 'a  b\n\n   c'
    expect(wrapLines(text, 10)).toBe(text)
  })
})
