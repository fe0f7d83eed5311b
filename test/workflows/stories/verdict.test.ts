import { describe, expect, it } from 'vitest'
import {
  spokenVerdict,
  unspokenVerdict,
  VERDICT_REQUEST,
} from '../../../src/workflows/stories/rules/verdict.ts'

describe('the verdict that a reviewer says', () => {
  it.each([
    ['All good. <verdict>approved</verdict>', 'approve'],
    ['<verdict>changes_requested</verdict>', 'reject'],
    ['<VERDICT> Changes Requested\n</VERDICT>', 'reject'],
    ['<verdict>approved</verdict> … <verdict>approved</verdict>', 'approve'],
    ['<verdict>approved</verdict> <verdict>changes_requested</verdict>', null],
    ['<verdict>…</verdict>', null],
    [`<verdict>${' '.repeat(10)}approved</verdict>`, null],
    ['approved', null],
    [VERDICT_REQUEST, null],
  ])('in %j is %j', (text, verdict) => {
    expect(spokenVerdict(text)).toBe(verdict)
  })

  it('must be the one in the file', () => {
    expect(unspokenVerdict('approve', '<verdict>approved</verdict>')).toBeNull()
    expect(unspokenVerdict('reject', '<verdict>changes_requested</verdict>')).toBeNull()
    expect(unspokenVerdict(undefined, '<verdict>approved</verdict>')).toBeNull()
    expect(unspokenVerdict(undefined, '')).toBeNull()
  })

  it.each([
    [
      'approve',
      'Fine.',
      'A review wrote approved into tasks.json, but its final message gives no clear verdict',
    ],
    [
      'reject',
      '<verdict>approved</verdict>',
      'A review wrote changes_requested into tasks.json, but its final message says approved',
    ],
    [
      'approve',
      '<verdict>changes_requested</verdict>',
      'A review wrote approved into tasks.json, but its final message says changes_requested',
    ],
  ] as const)('of %s in the file and %j in words is no verdict', (written, text, note) => {
    expect(unspokenVerdict(written, text)).toEqual({
      check: 'verdict',
      verdict: 'unsure',
      note: `${note}, so it does not count. ${VERDICT_REQUEST}`,
      claim: true,
    })
  })
})
