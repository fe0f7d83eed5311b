import fc from 'fast-check'
import type { CheckedList, Detail } from '../../../src/workflows/build/rules/planned.ts'

const words = fc
  .string({
    unit: fc.constantFrom('a', 'b', ' ', '"', '\\', '[', ']', '{', '}', '語', '✅'),
    minLength: 1,
    maxLength: 30,
  })
  .map(text => `x${text}`.replace(/\s+/g, ' ').trim())

/** Lists without cycles: a task is blocked only by tasks that come before it in some order, which need not be the list's. */
export const plans: fc.Arbitrary<CheckedList> = fc
  .array(
    fc.record({
      content: words,
      activeForm: words,
      about: fc.option(words),
      picks: fc.array(fc.nat(), { maxLength: 3 }),
    }),
    {
      minLength: 1,
      maxLength: 12,
    },
  )
  .chain(specs =>
    fc.tuple(fc.constant(specs), fc.shuffledSubarray([...specs.keys()], { minLength: specs.length })),
  )
  .map(([specs, order]) => {
    const items = specs.map(({ content, activeForm, picks }, index) => {
      const blockers = index === 0 ? [] : [...new Set(picks.map(pick => `#${(pick % index) + 1}`))]
      return {
        id: `#${index + 1}`,
        content,
        status: 'pending' as const,
        activeForm,
        ...(blockers.length > 0 && { blockedBy: blockers }),
      }
    })
    const details = specs.flatMap(({ about }, index) =>
      about === null
        ? []
        : [[`#${index + 1}`, { description: about, acceptanceCriteria: [about] }] as [string, Detail]],
    )
    return { items: order.map(index => items[index]!), details: Object.fromEntries(details) }
  })

/** As an agent writes it: one array, with what is known of each task. */
export const asAnswer = ({ items, details }: CheckedList): string =>
  JSON.stringify(
    items.map(item => ({ ...item, ...details[item.id] })),
    null,
    2,
  )
