import type { TodoItem } from '../../core/events.ts'

type Part = { items: readonly TodoItem[]; bytes: Buffer }

const PART_SIZE = 100
const [OPEN, BETWEEN, CLOSE] = ['[\n', ',\n', '\n]\n'].map(text => Buffer.from(text)) as [
  Buffer,
  Buffer,
  Buffer,
]

/**
 * Formats a list as JSON that people can edit. This happens before and after every step, and a step changes only a few
 * of perhaps thousands of items, so only the parts of the list that changed are formatted again.
 */
export function itemFormatter(): (items: readonly TodoItem[]) => Buffer {
  let last: Part[] = []
  return items => {
    if (items.length === 0) return Buffer.from('[]\n')
    last = Array.from({ length: Math.ceil(items.length / PART_SIZE) }, (_, index) => {
      const part = items.slice(index * PART_SIZE, (index + 1) * PART_SIZE)
      const before = last[index]
      return before && areSame(before.items, part) ? before : { items: part, bytes: formatPart(part) }
    })
    const between = last.flatMap(({ bytes }, index) => (index === 0 ? [bytes] : [BETWEEN, bytes]))
    return Buffer.concat([OPEN, ...between, CLOSE])
  }
}

/** The items as JSON, without the brackets around them. */
const formatPart = (items: readonly TodoItem[]): Buffer =>
  Buffer.from(JSON.stringify(items, null, 2).slice(2, -2))

const areSame = (a: readonly TodoItem[], b: readonly TodoItem[]): boolean =>
  a.length === b.length && a.every((item, index) => item === b[index] || isSame(item, b[index]!))

const isSame = (a: TodoItem, b: TodoItem): boolean =>
  a.status === b.status &&
  a.id === b.id &&
  a.content === b.content &&
  a.activeForm === b.activeForm &&
  areEqual(a.blockedBy, b.blockedBy)

const areEqual = (a: readonly string[] | undefined, b: readonly string[] | undefined): boolean =>
  a === b || (a?.length === b?.length && a!.every((id, index) => id === b![index]))
