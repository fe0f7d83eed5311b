import { checkList } from './check-list.ts'
import { behindString } from './json-string.ts'
import { oneLine, type Planned } from './planned.ts'

/**
 * The list of tasks in a planner's answer, which may be fenced, surrounded by words, or `{"tasks": […]}`.
 * Never throws; the time it takes is in proportion to the answer, whatever that holds.
 */
export function readPlan(answer: string): Planned | { errors: string[] } {
  const { lists, flaws } = listsIn(answer)
  if (lists.length > 1) {
    const sizes = lists.map(list => list.length).join(', ')
    return { errors: [`the answer holds ${lists.length} lists (of ${sizes}); give one array with all tasks`] }
  }
  const [list] = lists
  if (list && flaws.length === 0) {
    const plan = checkList(list, { fresh: true })
    return 'errors' in plan ? { errors: shortened(plan.errors) } : plan
  }
  return {
    errors:
      flaws.length > 0
        ? flaws
        : ['the answer holds no JSON array of tasks; give the array, and nothing else'],
  }
}

/** More than that no agent reads. */
const MOST_ERRORS = 50

const shortened = (errors: string[]): string[] => {
  const left = errors.length - MOST_ERRORS
  return left > 0 ? [...errors.slice(0, MOST_ERRORS), `and ${left} more like these`] : errors
}

/** Brackets that nobody closes may be part of the words before the list; a text full of them is none. */
const MOST_UNCLOSED = 20

/** All lists of objects, and what is wrong with those that cannot be read. */
function listsIn(text: string): { lists: unknown[][]; flaws: string[] } {
  const found = new Map<string, unknown[]>()
  const flaws: string[] = []
  let unclosed = 0
  // Words in brackets are common; only what looks like JSON with objects is looked at.
  const opening = /\[\s*[{\]]|\{\s*"/g
  for (let match = opening.exec(text); match; match = opening.exec(text)) {
    const end = endOf(text, match.index)
    if (end < 0) {
      opening.lastIndex = match.index + 1
      if (++unclosed === MOST_UNCLOSED) break
      continue
    }
    opening.lastIndex = end
    const piece = text.slice(match.index, end)
    const read = parse(piece)
    if ('flaw' in read) {
      // An example in another language is no list with a slip in it.
      if (piece.includes('"content"')) flaws.push(`the JSON is broken: ${read.flaw}; mend it there`)
      continue
    }
    const list = listOf(read.value)
    if (list) found.set(piece, list)
  }
  const all = [...found.values()]
  const ofTasks = all.filter(list => list.some(hasContent))
  const lists = ofTasks.length > 0 ? ofTasks : all
  // What is left of a list that was cut off may hold empty ones of its own.
  if (lists.every(list => list.length === 0) && flaws.length === 0 && unclosed > 0)
    flaws.push('the JSON array is never closed; give all of it, in fewer words if it was cut off')
  return { lists, flaws }
}

/** Behind the bracket that closes the one at `start`; -1 if none does. */
function endOf(text: string, start: number): number {
  let depth = 0
  let at = start
  while (at < text.length) {
    const char = text[at]
    if (char === '"') {
      at = behindString(text, at)
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
    return { value: JSON.parse(json) }
  } catch (error) {
    const message = error instanceof Error ? error.message : ''
    const at = /position (\d+)/.exec(message)?.[1]
    const near =
      at === undefined ? '' : `, near ${JSON.stringify(json.slice(Math.max(+at - 20, 0), +at + 20))}`
    return { flaw: oneLine(message).slice(0, 200) + near }
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

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const hasContent = (entry: unknown) => isObject(entry) && 'content' in entry
