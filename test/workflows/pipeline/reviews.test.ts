import { describe, expect, it } from 'vitest'
import { changesLine, pathsInDiff } from '../../../src/core/verification/diff.ts'
import {
  afterCoding,
  afterReject,
  dismissalOf,
  findingLines,
  NO_REVIEWS,
  type ReviewState,
  readFindings,
} from '../../../src/workflows/pipeline/rules/reviews.ts'

const text = 'a.ts:1: it throws\nb.ts:20: it leaks'
const found = [
  { id: 'F1', path: 'a.ts', line: 1, failure: 'it throws' },
  { id: 'F2', path: 'b.ts', line: 20, failure: 'it leaks' },
]
const sentBack = (state: ReviewState, text: string) => afterReject(state, { step: 2, text, tree: 'abc' })
const rejected = sentBack(NO_REVIEWS, text)

describe('a rejection', () => {
  it('has its findings numbered', () => {
    expect(rejected).toEqual({ step: 2, open: found, tree: 'abc', dismissed: [], numbered: 2 })
    expect(findingLines(rejected.open)).toBe('F1 a.ts:1: it throws\nF2 b.ts:20: it leaks')
  })

  it.each([
    ['- a.ts:1: it throws'],
    ['  * a.ts:1: it throws  '],
    ['`a.ts:1`: it throws'],
    ['a.ts :1:it throws'],
  ])('may have a finding written as %j', line => {
    expect(sentBack(NO_REVIEWS, `Hello.\n${line}\nBye.`).open).toEqual(found.slice(0, 1))
  })

  it.each([['a.ts: it throws'], ['a.ts:1:'], [':1: it throws'], ['a.ts:x: it throws'], ['It throws.']])(
    'has no finding in %j',
    line => {
      expect(sentBack(NO_REVIEWS, line)).toEqual({ ...NO_REVIEWS, step: 2, tree: 'abc' })
    },
  )

  it('goes on with the numbers, and replaces what was open', () => {
    expect(sentBack(rejected, 'c.ts:3: slow')).toEqual({
      step: 2,
      open: [{ id: 'F3', path: 'c.ts', line: 3, failure: 'slow' }],
      tree: 'abc',
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
    ['in other words', 'a.ts:1: itthrows', false],
    ['with another failure', 'a.ts:1: it leaks', false],
  ])('is known again, or not: %s', (_, again, isKnown) => {
    const [finding] = readFindings(again)
    expect(dismissalOf(answered, finding!)).toEqual(isKnown ? answered.dismissed[0] : undefined)
  })

  it('keeps the tree that was sent back with it', () => {
    expect(afterCoding(rejected, '<dismiss F1>no</dismiss>').dismissed[0]!.tree).toBe('abc')
  })
})

describe('a diff', () => {
  const diff = `diff --git a/a.ts b/a.ts
--- a/a.ts
+++ b/a.ts
@@ -1,3 +1,3 @@
 one
-two
+2
 three
@@ -20,2 +20,3 @@
 twenty
+new
 more
diff --git a/old.ts b/new.ts
similarity index 100%
rename from old.ts
rename to new.ts
`

  it('names the files that it changes, as they were and as they are', () => {
    expect([...pathsInDiff(diff)].sort()).toEqual(['a.ts', 'new.ts', 'old.ts'])
  })

  it.each([
    ['a.ts', 2, true],
    ['a.ts', 1, false],
    ['a.ts', 3, false],
    // A line beside it was added.
    ['a.ts', 20, false],
    ['a.ts', 99, false],
    ['b.ts', 2, false],
  ])('tells whether it changes %s:%i', (path, line, changes) => {
    expect(changesLine(diff, path, line)).toBe(changes)
  })
})
