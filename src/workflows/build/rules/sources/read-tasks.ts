import { endOfString, isObject, type JsonError, parseJson } from '../../../../core/json.ts'
import { checkList } from '../check-list.ts'
import type { CheckedList } from '../planned.ts'
import { readChecklist } from './checklist.ts'

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

/**
 * Reads the stories of a story file as tasks, by priority, then by position. Stories that pass are completed. Only the
 * fields that a build needs are required, so files without review fields can be read too.
 */
function readUserStories(file: string, text: string, stories: unknown[]): CheckedList | { errors: string[] } {
  const locate = itemLocations(file, text, 'userStories')
  const errors = stories.flatMap((story, index) => statusErrors(story).map(error => locate(index) + error))
  if (errors.length > 0) return { errors }
  const order = stories.map((story, index) => ({ story, index, priority: priorityOf(story) }))
  order.sort((a, b) => a.priority - b.priority || a.index - b.index)
  return checkList(
    order.map(({ story }) => taskOf(story)),
    {
      isNew: false,
      locate: index => locate(order[index]!.index),
      fields: { content: 'title', blockedBy: 'dependsOn' },
    },
  )
}

/** Stories without a priority come last. */
const priorityOf = (story: unknown): number => {
  const priority = isObject(story) ? story.priority : undefined
  return typeof priority === 'number' ? priority : Number.POSITIVE_INFINITY
}

function statusErrors(story: unknown): string[] {
  const { id, priority, passes } = isObject(story) ? story : {}
  const name = typeof id === 'string' ? `story ${id}: ` : 'the story: '
  const errors: string[] = []
  if (passes !== undefined && typeof passes !== 'boolean')
    errors.push(`${name}passes must be true or false, without quotes`)
  if (priority !== undefined && typeof priority !== 'number')
    errors.push(`${name}priority must be a number; 1 comes first`)
  return errors
}

function taskOf(story: unknown): unknown {
  if (!isObject(story)) return story
  const { id, title, description, acceptanceCriteria, passes, dependsOn } = story
  const status = passes === true ? 'completed' : 'pending'
  return { id, content: title, status, blockedBy: dependsOn, description, acceptanceCriteria }
}

/** Returns the file and line of an item, as the beginning of a message. Only errors need it, so it is computed lazily. */
function itemLocations(file: string, text: string, key?: string): (index: number) => string {
  let lines: number[] | undefined
  return index => {
    lines ??= itemLines(text, key)
    return `${file}:${lines[index]}: `
  }
}

/**
 * The line of each item of the outermost array, or of the array that the outermost object has under `key`.
 * The text is valid JSON: it was parsed before.
 */
function itemLines(text: string, key?: string): number[] {
  const lines: number[] = []
  const target = key === undefined ? 1 : 2
  const token = /[\n"[\]{},]|[^\s"[\]{},:]+/g
  let line = 1
  let depth = 0
  let lastKey = ''
  let isInside = false
  let isItemDue = false
  for (let match = token.exec(text); match; match = token.exec(text)) {
    const [found] = match
    if (found === '\n') {
      line++
      continue
    }
    const closes = found === ']' || found === '}'
    if (isInside && isItemDue && depth === target && !closes) {
      lines.push(line)
      isItemDue = false
    }
    if (found === '"') {
      token.lastIndex = endOfString(text, match.index)
      if (depth === 1) lastKey = text.slice(match.index + 1, token.lastIndex - 1)
    } else if (found === '[' || found === '{') {
      depth++
      if (depth === target && found === '[' && (key === undefined || lastKey === key))
        isInside = isItemDue = true
    } else if (closes) {
      if (depth === target) isInside = false
      depth--
    } else if (found === ',' && depth === target) isItemDue = true
  }
  return lines
}
