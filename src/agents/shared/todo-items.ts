import type { TodoItem } from '../../core/events.ts'
import { TODO_STATUSES } from '../../core/todo.ts'
import { asList, asObject, asText, type Fields, shortLine } from './fields.ts'

export const MAX_TODOS = 500

/** An agent's own list, from the input of its tool. Cancelled entries are left out. */
export const todoItems = (list: unknown): TodoItem[] =>
  asList(list)
    .slice(0, MAX_TODOS)
    .map(asObject)
    .filter(fields => fields?.status !== 'cancelled')
    .flatMap(toItem)

/** One entry, under any name that a CLI gives its text. An entry without text gives none. */
export function toItem(fields: Fields | null): TodoItem[] {
  const content = shortLine(
    asText(fields?.content) || asText(fields?.subject) || asText(fields?.description) || asText(fields?.text),
  )
  if (!fields || content === '') return []
  const { id } = fields
  return [
    {
      ...(typeof id === 'string' && { id }),
      content,
      status: todoStatus(fields.status) ?? 'pending',
      activeForm: shortLine(asText(fields.activeForm)) || content,
    },
  ]
}

export const todoStatus = (value: unknown): TodoItem['status'] | null =>
  TODO_STATUSES.includes(value) ? (value as TodoItem['status']) : null
