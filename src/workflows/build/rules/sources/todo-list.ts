import { checkList } from '../check-list.ts'
import type { CheckedList } from '../planned.ts'
import { itemLocations } from './item-locations.ts'

/** Reads a build's list, for example from an earlier build. Completed tasks stay completed. */
export function readTodoList(
  file: string,
  text: string,
  items: unknown[],
): CheckedList | { errors: string[] } {
  return checkList(items, { isNew: false, locate: itemLocations(file, text) })
}
