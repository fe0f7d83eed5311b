import { checkList } from '../check-list.ts'
import type { Planned } from '../planned.ts'
import { linesOfItems } from './lines-of-items.ts'

/** A build's list, of an earlier one for example: what is completed stays so. */
export function readTodoList(file: string, text: string, items: unknown[]): Planned | { errors: string[] } {
  const lines = linesOfItems(text)
  return checkList(items, { fresh: false, place: index => `${file}:${lines[index]}: ` })
}
