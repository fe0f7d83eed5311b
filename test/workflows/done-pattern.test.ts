import { describe, expect, it } from 'vitest'
import { checkPattern, matches, watchPattern } from '../../src/workflows/run/done-pattern.ts'

/** Slow only on a text that ralph does not think of. */
const SLOW = '(?:[éè]+)+$'
const SLOW_ON = `${'é'.repeat(60)}!`

function setWatch(pattern: string, limitMs?: number) {
  let slow = 0
  const watch = watchPattern(pattern, () => slow++, limitMs)
  watch.begin()
  return { watch, slow: () => slow }
}

describe('a done pattern', () => {
  it.each([
    ['(', /Invalid regular expression/],
    ['(?P<n>x)', /Invalid/],
    ['(a+)+$', /takes too long on some texts/],
    ['(x|x|x)*y', /takes too long/],
    ['(\\w+\\s?)*$', /takes too long/],
  ])('%s is refused if it is none, or takes too long', (pattern, why) => {
    expect(() => checkPattern(pattern, 100)).toThrow(why)
  })

  it.each([
    'All tasks complete',
    'IMPLEMENTATION_PLAN.md.*100%',
    '(?i)no remaining tasks',
    '^done$',
    '.*a.*b.*',
    '.*a.*b.*c.*',
  ])('%s is taken', pattern => {
    expect(() => checkPattern(pattern)).not.toThrow()
  })

  it('matches a line or the text as a whole', () => {
    expect(matches('^b$', 'a\nb\nc')).toBe(true)
    expect(matches('(?s)a.*c', 'a\nb\nc')).toBe(true)
    expect(matches('^b', 'ab')).toBe(false)
  })

  it('is found in anything that the agent says, and remembered', () => {
    const { watch } = setWatch('^All tasks complete$')
    watch.hear('first I plan')
    watch.hear('then:\nAll tasks complete\nas you asked')
    watch.hear('x'.repeat(100_000))
    watch.hear('and more')
    expect([watch.hasMatched(), watch.hasMatched()]).toEqual([true, true])
    watch.begin()
    expect(watch.hasMatched()).toBe(false)
  })

  it('is found wherever it is in a long output', () => {
    const { watch } = setWatch('line 77777$')
    for (let n = 0; n < 200_000; n++) watch.hear(`line ${n}`)
    expect(watch.hasMatched()).toBe(true)
  })

  it('is given up in an iteration if it takes too long, and the user is told once', () => {
    const { watch, slow } = setWatch(SLOW, 100)
    for (let n = 0; n < 5; n++) {
      watch.hear(SLOW_ON)
      watch.hasMatched()
    }
    watch.hear('é')
    expect([watch.hasMatched(), slow()]).toEqual([false, 1])
    watch.begin()
    watch.hear('é')
    expect([watch.hasMatched(), slow()]).toEqual([true, 1])
  })
})
