import { atMost } from '../../../core/format.ts'
import { endOfString, isObject, type JsonError, parseJson } from '../../../core/json.ts'
import type { TaskId } from '../../../core/task.ts'
import { checkList } from './check-list.ts'
import type { CheckedList } from './planned.ts'

/**
 * Reads the list of tasks from a planner's answer, which may be fenced, surrounded by text, or `{"tasks": […]}`.
 * The errors are facts: people read them too. Never throws, and takes time in proportion to the length of the answer.
 */
export function readPlan(answer: string): CheckedList | { errors: string[] } {
  const { lists, flaws } = listsIn(answer)
  if (lists.length > 1) {
    const sizes = lists.map(list => list.length).join(', ')
    return { errors: [`the answer holds ${lists.length} lists (of ${sizes} entries) instead of one`] }
  }
  const [list] = lists
  if (list && flaws.length === 0) {
    const plan = checkList(list, { isNew: true })
    return 'errors' in plan
      ? { errors: atMost(plan.errors, MOST_ERRORS, left => `and ${left} more like these`) }
      : renumber(plan)
  }
  return {
    errors: flaws.length > 0 ? flaws : ['the answer holds no JSON array of tasks'],
  }
}

/** A longer list of errors does not help an agent. */
const MOST_ERRORS = 50

/** The text before the list may contain a few unclosed brackets. With many of them, there is no list. */
const MOST_UNCLOSED = 20

/** Finds all lists of objects, and the errors of those that cannot be read. */
function listsIn(text: string): { lists: unknown[][]; flaws: string[] } {
  const found = new Map<string, unknown[]>()
  const flaws: string[] = []
  let unclosed = 0
  // Words in brackets are common, so only text that looks like JSON with objects counts.
  const opening = /\[\s*[{\]]|\{\s*"/g
  for (let match = opening.exec(text); match; match = opening.exec(text)) {
    const end = endOfBracket(text, match.index)
    if (end < 0) {
      opening.lastIndex = match.index + 1
      if (++unclosed === MOST_UNCLOSED) break
      continue
    }
    opening.lastIndex = end
    const piece = text.slice(match.index, end)
    const read = parse(piece)
    if ('flaw' in read) {
      // Code in another language is not a broken list.
      if (piece.includes('"content"')) flaws.push(`the JSON is broken: ${read.flaw}`)
      continue
    }
    const list = listOf(read.value)
    if (list) found.set(piece, list)
  }
  const all = [...found.values()]
  const taskLists = all.filter(list => list.some(hasContent))
  const lists = taskLists.length > 0 ? taskLists : all
  // A list that was cut off may contain empty lists, which do not count.
  if (lists.every(list => list.length === 0) && flaws.length === 0 && unclosed > 0)
    flaws.push('the JSON array is never closed; perhaps it was too long and was cut off')
  return { lists, flaws }
}

/** The position after the bracket that closes the one at `start`. It is -1 if there is no such bracket. */
function endOfBracket(text: string, start: number): number {
  let depth = 0
  let at = start
  while (at < text.length) {
    const char = text[at]
    if (char === '"') {
      at = endOfString(text, at)
      continue
    }
    at++
    if (char === '[' || char === '{') depth++
    else if ((char === ']' || char === '}') && --depth === 0) return at
  }
  return -1
}

function parse(json: string): { value: unknown } | { flaw: string } {
  try {
    return { value: parseJson(json) }
  } catch (error) {
    const { at, what } = error as JsonError
    return { flaw: `${what}, near ${JSON.stringify(json.slice(Math.max(at - 20, 0), at + 20))}` }
  }
}

function listOf(value: unknown): unknown[] | undefined {
  if (Array.isArray(value)) return value
  if (!isObject(value)) return undefined
  if (Array.isArray(value.tasks)) return value.tasks
  return Object.values(value).find(
    (inner): inner is unknown[] => Array.isArray(inner) && inner.some(isObject),
  )
}

const hasContent = (entry: unknown) => isObject(entry) && 'content' in entry

/** A planner's list with the ids #1, #2, #3 … in its order. Blockers and texts that name an id follow. */
function renumber(plan: CheckedList): CheckedList {
  const ids = new Map(plan.items.map(({ id }, index) => [id, `#${index + 1}`]))
  if ([...ids].every(([id, number]) => id === number)) return plan
  const numberOf = (id: TaskId) => ids.get(id) ?? id
  const renamed = (text: string) => text.replace(/#\d+\b/g, numberOf)
  return {
    items: plan.items.map(({ blockedBy, ...item }) => ({
      ...item,
      id: numberOf(item.id),
      content: renamed(item.content),
      activeForm: renamed(item.activeForm),
      ...(blockedBy && { blockedBy: blockedBy.map(numberOf) }),
    })),
    details: Object.fromEntries(
      Object.entries(plan.details).map(([id, { description, acceptanceCriteria }]) => [
        numberOf(id),
        {
          ...(description !== undefined && { description: renamed(description) }),
          ...(acceptanceCriteria && { acceptanceCriteria: acceptanceCriteria.map(renamed) }),
        },
      ]),
    ),
  }
}
