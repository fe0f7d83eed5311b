import { type CheckedList, oneLine } from '../planned.ts'
import { readChecklist } from './checklist.ts'
import { readTodoList } from './todo-list.ts'
import { readUserStories } from './user-stories.ts'

/**
 * Reads a list of tasks from a file of the user. Its content decides the format: a build's `TodoItem[]`, an object with
 * `userStories`, or a markdown checklist. Errors begin with the file and, if known, the line.
 */
export function readTasksFile(file: string, source: string): CheckedList | { errors: string[] } {
  const text = source.replace(/^\ufeff/, '')
  if (text.trim() === '') return { errors: [`${file}: the file is empty; ${FORMS}`] }
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch (error) {
    // A checklist may also begin with a bracket, for a link or a box. Only JSON begins like this.
    if (!/^\s*(?:\{|\[\s*(?:[{"]|\]?\s*$))/.test(text)) return readChecklist(file, text)
    const message = error instanceof Error ? error.message : ''
    return {
      errors: [
        `${file}:${lineOfError(text, message)}: it is not valid JSON: ${oneLine(message).slice(0, 200)}`,
      ],
    }
  }
  const stories = typeof json === 'object' && json !== null && 'userStories' in json ? json.userStories : null
  const list = Array.isArray(json) ? json : stories
  if (!Array.isArray(list)) return { errors: [`${file}: it holds no list; ${FORMS}`] }
  if (list.length === 0) return { errors: [`${file}: the list is empty; name at least one task`] }
  return list === json ? readTodoList(file, text, list) : readUserStories(file, text, list)
}

const FORMS =
  'give an array of tasks, an object with an array "userStories", or a markdown list with "- [ ]" items'

function lineOfError(text: string, message: string): number {
  const at = /position (\d+)/.exec(message)?.[1]
  // Messages without a position mean that the text ended too early.
  const head = text.slice(0, at === undefined ? text.length : Number(at)).trimEnd()
  return head.split('\n').length
}
