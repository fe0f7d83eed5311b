import { checkList } from '../check-list.ts'
import type { Planned } from '../planned.ts'
import { placesOfItems } from './item-locations.ts'

/** A build's list, of an earlier one for example: what is completed stays so. */
export function readTodoList(file: string, text: string, items: unknown[]): Planned | { errors: string[] } {
  return checkList(items, { fresh: false, place: placesOfItems(file, text) })
}
