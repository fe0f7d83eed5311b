import { describe, expect, it } from 'vitest'
import { formatUsd, forScreen, wrapLines } from '../../src/core/format.ts'

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

  it('keeps the words of a list item behind its number', () => {
    const words = `  1. ${'word '.repeat(9)}end`
    expect(wrapLines(words, 40)).toBe(`  1. ${'word '.repeat(7).trim()}\n     word word end`)
    const task = `[ ] ${'word '.repeat(9)}end`
    expect(wrapLines(task, 40)).toBe(`[ ] ${'word '.repeat(7).trim()}\n    word word end`)
  })

  it('are wrapped for a screen alone', () => {
    expect(forScreen('one two', { isTTY: true, columns: 4 })).toBe('one\ntwo')
    expect(forScreen('one two', { columns: 4 })).toBe('one two')
  })

  it('changes nothing that fits', () => {
    const text = 'a  b\n\n   c'
    expect(wrapLines(text, 10)).toBe(text)
  })
})

it.each([
  [0, '$0.00'],
  [0.0042, '$0.0042'],
  [0.017, '$0.017'],
  [0.05, '$0.05'],
  [0.353, '$0.35'],
  [12.3, '$12.30'],
])('an amount of %d is shown as %s', (usd, shown) => {
  expect(formatUsd(usd)).toBe(shown)
  expect(formatUsd(usd, true)).toBe(`~${shown}`)
})
