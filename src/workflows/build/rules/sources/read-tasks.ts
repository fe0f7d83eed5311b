import { isObject, type JsonError, parseJson } from '../../../../core/json.ts'
import { checkList } from '../check-list.ts'
import type { CheckedList } from '../planned.ts'
import { readChecklist } from './checklist.ts'
import { itemLocations } from './item-locations.ts'
import { readUserStories } from './user-stories.ts'

/**
 * Reads a list of tasks from a file of the user. Its content decides the format: a build's `TodoItem[]`, an object with
 * `userStories`, or a markdown checklist. Errors begin with the file and, if known, the line.
 */
export function readTaskList(file: string, source: string): CheckedList | { errors: string[] } {
  const text = source.replace(/^\ufeff/, '')
  if (text.trim() === '') return { errors: [`${file}: the file is empty; ${FORMS}`] }
  let json: unknown
  try {
    json = parseJson(text)
  } catch (error) {
    // A checklist may also begin with a bracket, for a link or a box. Only JSON begins like this.
    if (!/^\s*(?:\{|\[\s*(?:[{"]|\]?\s*$))/.test(text)) return readChecklist(file, text)
    const { place, what } = error as JsonError
    return { errors: [`${file}:${place}: it is not valid JSON: ${what}`] }
  }
  const stories = isObject(json) ? json.userStories : null
  const list = Array.isArray(json) ? json : stories
  if (!Array.isArray(list)) return { errors: [`${file}: it holds no list; ${FORMS}`] }
  if (list.length === 0) return { errors: [`${file}: the list is empty; name at least one task`] }
  // A build's own list, perhaps of an earlier build: completed tasks stay completed.
  if (list === json) return checkList(list, { isNew: false, locate: itemLocations(file, text) })
  return readUserStories(file, text, list)
}

const FORMS =
  'give an array of tasks, an object with an array "userStories", or a markdown list with "- [ ]" items'
