import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { partOf } from '../../src/workers/rules/lines.ts'
import { appendToView, followView, readView } from '../../src/workers/view-log.ts'
import { scratch } from '../support/scratch.ts'

const MOST = 100
const lineOf = (n: number) => `line ${String(n).padStart(4, '0')} ä`

describe('the view log', () => {
  it('keeps a bounded tail of what was written, in whole lines', () => {
    const dir = scratch('ralph-view-')
    for (let n = 0; n < 1000; n++) appendToView(dir, [lineOf(n)], MOST)
    const kept = readView(dir).trimEnd().split('\n')
    expect(kept).toEqual(kept.map((_, at) => lineOf(1000 - kept.length + at)))
    expect(kept.length).toBeGreaterThan(MOST / 16)
    for (const file of ['view.log', 'view.log.1'])
      expect(readFileSync(join(dir, file)).length).toBeLessThanOrEqual(MOST)
    // Unless somebody says otherwise, it is 16 MB.
    writeFileSync(join(dir, 'view.log'), Buffer.alloc(16 * 1024 * 1024))
    appendToView(dir, ['new'])
    expect(readFileSync(join(dir, 'view.log'), 'utf8')).toBe('new\n')
    // One that is too long by itself is written all the same.
    appendToView(dir, ['x'.repeat(2 * MOST)], MOST)
    expect(readView(dir)).toContain('x'.repeat(2 * MOST))
  })

  it('is followed across the beginnings of new logs: no line is lost, and none comes twice', () => {
    const dir = scratch('ralph-view-')
    const view = followView(dir)
    expect(view.next()).toBe('')
    let seen = ''
    for (let n = 0; n < 100; n++) {
      appendToView(dir, [lineOf(n)], MOST)
      if (n % 3 === 0) seen += view.next()
    }
    expect(existsSync(join(dir, 'view.log.1'))).toBe(true)
    expect(`${seen}${view.next()}`.trimEnd().split('\n')).toEqual(
      Array.from({ length: 100 }, (_, n) => lineOf(n)),
    )
    view.close()
  })

  it('is followed if it was set aside just now, and its successor is not there yet', () => {
    const dir = scratch('ralph-view-')
    writeFileSync(join(dir, 'view.log.1'), 'old\n')
    const view = followView(dir)
    expect([view.next(), view.next()]).toEqual(['old\n', ''])
    appendToView(dir, ['new'])
    expect([view.next(), view.next()]).toEqual(['new\n', ''])
    view.close()
  })

  it('is followed from the oldest that is kept, and by whole lines', () => {
    const dir = scratch('ralph-view-')
    writeFileSync(join(dir, 'view.log.1'), 'old\n')
    writeFileSync(join(dir, 'view.log'), 'new\nhal')
    const view = followView(dir)
    expect(view.next()).toBe('old\nnew\n')
    writeFileSync(join(dir, 'view.log'), 'f\n', { flag: 'a' })
    expect([view.next(), view.next()]).toEqual(['half\n', ''])
    view.close()
  })
})

describe('the part of one iteration', () => {
  const text = `header
[ralph] a: starting iteration 1/3
first

[ralph] a: starting iteration 2/3
cut off
\u001b[1m[ralph] a: starting iteration 2/3\u001b[22m
second
[ralph] a: starting iteration 12/30
twelfth
`
  it.each([
    [1, '[ralph] a: starting iteration 1/3\nfirst\n'],
    [2, '\u001b[1m[ralph] a: starting iteration 2/3\u001b[22m\nsecond\n'],
    [12, '[ralph] a: starting iteration 12/30\ntwelfth\n'],
    [3, null],
  ])('%i goes from its last beginning to the next', (n, part) => {
    expect(partOf(text, 'a', n)).toBe(part)
  })
})
