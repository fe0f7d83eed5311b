import fc from 'fast-check'
import { describe, it } from 'vitest'
import type { Kind } from './setup.ts'
import { walk } from './walk.ts'

const WALKS = Number(process.env.RALPH_WALKS ?? 10_000)

describe.each<Kind>(['prompt', 'tasks', 'stories', 'pipeline'])('any %s run', kind => {
  it('ends, survives every crash and keeps every promise', { timeout: 60_000 + WALKS * 20 }, () => {
    fc.assert(
      fc.property(fc.noBias(fc.integer()), seed => void walk(kind, seed)),
      { numRuns: WALKS, endOnFailure: true, includeErrorInReport: true },
    )
  })
})
