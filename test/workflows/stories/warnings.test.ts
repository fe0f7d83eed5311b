import { describe, expect, it } from 'vitest'
import type { StoriesFile } from '../../../src/workflows/stories/rules/story-file.ts'
import { storyWarnings } from '../../../src/workflows/stories/rules/warnings.ts'

const warned = (branchName: string, branch: string | null | undefined, { checks = 1, skip = false } = {}) => {
  const file = { branchName, userStories: [] } as unknown as StoriesFile
  const start = branch === undefined ? null : { branch }
  return storyWarnings({ dir: 'ralph', file, review: { skip }, start }, checks, 15)
}

describe('before a story loop, people are warned', () => {
  it('of another branch than the one that the list names, with the way there', () => {
    expect(warned('ralph/cart', 'main')).toEqual([
      'this is the branch main, but ralph/tasks.json is for ralph/cart: commits will go here. If that is not what you want, stop, then: git switch ralph/cart (with -c if there is none yet)',
    ])
    expect(warned('ralph/cart', null)[0]).toMatch(/^this is no branch \(HEAD is detached\), but /)
  })

  it.each<[string, string | null | undefined]>([
    ['ralph/cart', 'ralph/cart'],
    ['ralph/feature-name', 'main'],
    ['', 'main'],
    ['ralph/cart', undefined],
  ])('of none if the list is for %j and the branch is %j', (wanted, current) => {
    expect(warned(wanted, current)).toEqual([])
  })

  it('that there are no checks', () => {
    expect(warned('', 'main', { checks: 0 })[0]).toMatch(
      /^no checks: only a review says that a story is done;/,
    )
    expect(warned('', 'main', { checks: 0, skip: true })[0]).toMatch(/^no checks: nothing verifies that/)
  })
})
