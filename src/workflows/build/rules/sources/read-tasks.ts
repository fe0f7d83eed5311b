import { oneLine, type Planned } from '../planned.ts'
import { readChecklist } from './checklist.ts'
import { readTodoList } from './todo-list.ts'
import { readUserStories } from './user-stories.ts'

/**
 * A list of tasks from a file of the user's, known by what it holds: a build's `TodoItem[]`, an object with
 * `userStories`, or a markdown checklist. Errors begin with the file and, where there is one, the line.
 */
export function readTasksFile(file: string, source: string): Planned | { errors: string[] } {
  const text = source.replace(/^\ufeff/, '')
  if (text.trim() === '') return { errors: [`${file}: the file is empty; ${FORMS}`] }
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch (error) {
    // A checklist may begin with a link or a box of its own; JSON with objects in it begins like this.
    if (!/^\s*(?:\{|\[\s*(?:[{"]|\]?\s*$))/.test(text)) return readChecklist(file, text)
    const message = error instanceof Error ? error.message : ''
    return {
      errors: [`${file}:${lineOfFlaw(text, message)}: it is no JSON: ${oneLine(message).slice(0, 200)}`],
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

function lineOfFlaw(text: string, message: string): number {
  const at = /position (\d+)/.exec(message)?.[1]
  // The other messages tell of an end that came too early.
  const head = text.slice(0, at === undefined ? text.length : Number(at)).trimEnd()
  return head.split('\n').length
}
