import type { TodoItem } from '../../core/events.ts'

type Part = { items: readonly TodoItem[]; bytes: Buffer }

const PART = 100
const [OPEN, BETWEEN, CLOSE] = ['[\n', ',\n', '\n]\n'].map(text => Buffer.from(text)) as [
  Buffer,
  Buffer,
  Buffer,
]

/**
 * A list as JSON that people can edit, in bytes. It is spelled before and after every step, and of perhaps thousands
 * of items a step changes a few: only the parts of the list that hold these are spelled anew.
 */
export function itemSpeller(): (items: readonly TodoItem[]) => Buffer {
  let last: Part[] = []
  return items => {
    if (items.length === 0) return Buffer.from('[]\n')
    last = Array.from({ length: Math.ceil(items.length / PART) }, (_, place) => {
      const part = items.slice(place * PART, (place + 1) * PART)
      const before = last[place]
      return before && areSame(before.items, part) ? before : { items: part, bytes: spell(part) }
    })
    const between = last.flatMap(({ bytes }, place) => (place === 0 ? [bytes] : [BETWEEN, bytes]))
    return Buffer.concat([OPEN, ...between, CLOSE])
  }
}

/** Without the brackets around them. */
const spell = (items: readonly TodoItem[]): Buffer => Buffer.from(JSON.stringify(items, null, 2).slice(2, -2))

const areSame = (a: readonly TodoItem[], b: readonly TodoItem[]): boolean =>
  a.length === b.length && a.every((item, place) => item === b[place] || isSame(item, b[place]!))

const isSame = (a: TodoItem, b: TodoItem): boolean =>
  a.status === b.status &&
  a.id === b.id &&
  a.content === b.content &&
  a.activeForm === b.activeForm &&
  areEqual(a.blockedBy, b.blockedBy)

const areEqual = (a: readonly string[] | undefined, b: readonly string[] | undefined): boolean =>
  a === b || (a?.length === b?.length && a!.every((id, place) => id === b![place]))
