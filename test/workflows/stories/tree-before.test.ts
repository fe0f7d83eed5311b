import { describe, expect, it } from 'vitest'
import type { TreeState } from '../../../src/git/tree-state.ts'
import { treeBefore } from '../../../src/workflows/stories/tree-before.ts'

const tree = (head: string): TreeState => ({ root: '/', head, contents: new Map() })

/** Which tree an iteration has: the one that is read, or the one that is known. */
async function headBefore(stage: string, known: TreeState | null, hasWritten = false) {
  const before = treeBefore(
    async () => tree('read'),
    () => known,
  )
  if (hasWritten) before.wrote()
  before.begin(stage)
  const first = (await before.get())?.head
  before.begin(stage)
  return [first, (await before.get())?.head]
}

describe('the tree before an iteration', () => {
  it('is as the last agent left it, if that is known', async () => {
    expect(await headBefore('implement', tree('known'))).toEqual(['known', 'known'])
    expect(await headBefore('fix', tree('known'))).toEqual(['known', 'known'])
    expect(await headBefore('implement', null)).toEqual(['read', 'read'])
  })

  it('is always read for a review, which is judged by what it changed', async () => {
    expect(await headBefore('review', tree('known'))).toEqual(['read', 'read'])
  })

  it('is read if ralph wrote the story file since', async () => {
    expect(await headBefore('implement', tree('known'), true)).toEqual(['read', 'known'])
  })

  it('is nobody’s trouble if it cannot be read, until somebody asks for it', async () => {
    const before = treeBefore(
      () => Promise.reject(new Error('no git')),
      () => null,
    )
    before.begin('implement')
    await expect(before.get()).rejects.toThrow('no git')
  })
})
