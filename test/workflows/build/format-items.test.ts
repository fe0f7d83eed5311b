import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { TodoItem } from '../../../src/core/events.ts'
import { itemFormatter } from '../../../src/workflows/build/format-items.ts'

const item: fc.Arbitrary<TodoItem> = fc.record(
  {
    id: fc.constantFrom('#1', '#2', '"', 'é'),
    content: fc.constantFrom('a', 'b\n  },\n', ']'),
    status: fc.constantFrom('pending', 'in_progress', 'completed'),
    activeForm: fc.constantFrom('a', '日本'),
    blockedBy: fc.array(fc.constantFrom('#1', '#2'), { maxLength: 2 }),
  },
  { requiredKeys: ['id', 'content', 'status', 'activeForm'] },
)

it('spells every list as JSON does, whatever it spelled before', () => {
  const long = fc.array(item, { minLength: 190, maxLength: 210 })
  const lists = fc.array(fc.oneof(fc.array(item, { maxLength: 3 }), long), { minLength: 1, maxLength: 3 })
  const change = fc.record({ place: fc.nat(250), item })
  fc.assert(
    fc.property(lists, fc.array(change, { maxLength: 4 }), (all, changes) => {
      const spell = itemFormatter()
      const changed = changes.map(({ place, item }) =>
        all.at(-1)!.map((old, at) => (at === place ? item : old)),
      )
      for (const items of [...all, ...changed])
        expect(spell(items).toString()).toBe(`${JSON.stringify(items, null, 2)}\n`)
    }),
    { numRuns: 40 },
  )
})
