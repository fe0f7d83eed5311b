import { describe, expect, it } from 'vitest'
import {
  afterCoding,
  afterReject,
  findingLines,
  NO_REVIEWS,
  repeatsDismissed,
} from '../../../src/workflows/pipeline/rules/reviews.ts'

const text = 'a.ts:1: it throws\nb.ts:20: it leaks'
const found = [
  { id: 'F1', path: 'a.ts', line: 1, failure: 'it throws' },
  { id: 'F2', path: 'b.ts', line: 20, failure: 'it leaks' },
]
const rejected = afterReject(NO_REVIEWS, text)

describe('a rejection', () => {
  it('has its findings numbered', () => {
    expect(rejected).toEqual({ open: found, dismissed: [], numbered: 2 })
    expect(findingLines(rejected.open)).toBe('F1 a.ts:1: it throws\nF2 b.ts:20: it leaks')
  })

  it.each([
    ['- a.ts:1: it throws'],
    ['  * a.ts:1: it throws  '],
    ['`a.ts:1`: it throws'],
    ['a.ts :1:it throws'],
  ])('may have a finding written as %j', line => {
    expect(afterReject(NO_REVIEWS, `Hello.\n${line}\nBye.`).open).toEqual(found.slice(0, 1))
  })

  it.each([['a.ts: it throws'], ['a.ts:1:'], [':1: it throws'], ['a.ts:x: it throws'], ['It throws.']])(
    'has no finding in %j',
    line => {
      expect(afterReject(NO_REVIEWS, line)).toEqual(NO_REVIEWS)
    },
  )

  it('goes on with the numbers, and replaces what was open', () => {
    expect(afterReject(rejected, 'c.ts:3: slow')).toEqual({
      open: [{ id: 'F3', path: 'c.ts', line: 3, failure: 'slow' }],
      dismissed: [],
      numbered: 3,
    })
  })
})

describe('the coder’s answer', () => {
  it.each([
    ['<dismiss F1>It is caught.</dismiss>'],
    ['<DISMISS id="f1" > It is\ncaught. </DISMISS>'],
    ['No. <dismiss id=F1>It is caught.</dismiss> <dismiss F9>what?</dismiss>'],
  ])('%j closes the finding that it names', answer => {
    const { open, dismissed, numbered } = afterCoding(rejected, answer)
    expect(open).toEqual([found[1]])
    expect(dismissed.map(d => [d.id, d.why.replace('\n', ' ')])).toEqual([['F1', 'It is caught.']])
    expect(numbered).toBe(2)
  })

  it.each([
    ['<dismiss F1> </dismiss>'],
    ['<dismiss F9>why</dismiss>'],
    ['<dismiss>why</dismiss>'],
    ['F1 is wrong.'],
  ])('%j closes nothing', answer => {
    expect(afterCoding(rejected, answer)).toBe(rejected)
  })

  it('adds to the earlier ones', () => {
    const once = afterCoding(rejected, '<dismiss F1>no</dismiss>')
    expect(afterCoding(once, '<dismiss F2>no</dismiss>').dismissed.map(d => d.id)).toEqual(['F1', 'F2'])
  })
})

describe('a finding that was answered', () => {
  const answered = afterCoding(rejected, '<dismiss F1>no</dismiss>')

  it.each([
    ['as it was', 'a.ts:1: it throws', true],
    ['at another line, in other letters', 'a.ts:7: It throws!', true],
    ['in another file', 'c.ts:1: it throws', false],
    ['with another failure', 'a.ts:1: it leaks', false],
    ['beside a new one', 'a.ts:1: it throws\na.ts:2: it leaks', false],
    ['in no form at all', 'It throws.', false],
  ])('%s', (_, again, isRepeated) => {
    expect(repeatsDismissed(answered, again)).toBe(isRepeated)
  })

  it('is not opened again', () => {
    const again = afterReject(answered, 'a.ts:3: It throws.\na.ts:2: it leaks')
    expect(again.open).toEqual([{ id: 'F3', path: 'a.ts', line: 2, failure: 'it leaks' }])
    expect(again.dismissed).toEqual(answered.dismissed)
  })
})
