import { describe, expect, it } from 'vitest'
import { snapshotFrom, withSnapshot } from '../../../src/workflows/stories/rules/marker.ts'
import { newStory } from '../../core/setup.ts'

const FRESH = { passes: false, reviewStatus: null, reviewCount: 0 }

describe('the snapshot from before an iteration', () => {
  const gate = { skipReview: false, reviewCap: 5, preIterationSnapshot: { A: FRESH }, dirtyBefore: [] }
  const before = [{ id: 'A', ...FRESH }]

  it('counts for its own step only, because a power cut can leave an older one', () => {
    expect(snapshotFrom({ ...gate, step: 4 }, 4)).toEqual(before)
    expect(snapshotFrom({ ...gate, step: 3 }, 4)).toBeNull()
    expect(snapshotFrom(null, 4)).toBeNull()
  })

  it('is written by the ids of the stories, whatever these are', () => {
    const odd = ['A', '"\\', '__proto__', 'constructor', 'ä', '7'].map(id => newStory(id))
    const fields = {
      skipReview: true,
      reviewCap: 5,
      iterationMode: 'implement',
      dirtyBefore: ['a"b'],
      step: 4,
    } as const
    const written = JSON.parse(withSnapshot(fields, odd))
    const { preIterationSnapshot, ...rest } = written
    expect(rest).toEqual(fields)
    expect(new Map(Object.entries(preIterationSnapshot))).toEqual(new Map(odd.map(({ id }) => [id, FRESH])))
    expect(snapshotFrom(written, 4)).toHaveLength(odd.length)
  })
})
