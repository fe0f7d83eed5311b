import type { TodoItem } from '../../core/events.ts'
import { asObject, asText, type Fields, oneLine } from '../shared/fields.ts'
import { MOST_TODOS, statusOf, todoItems, toItem } from '../shared/todo-items.ts'

/** Claude's own list: written whole by TodoWrite, or task by task by TaskCreate and TaskUpdate. */
export function claudeTodos() {
  let items: TodoItem[] = []
  let created = 0
  /** Which task a call made; its true id comes with the tool's answer. */
  const makes = new Map<string, string>()

  return {
    /** The list as a call leaves it; null if the call is not about the list. */
    call(call: string, tool: string, input: Fields): TodoItem[] | null {
      if (tool === 'TodoWrite') {
        items = todoItems(input.todos)
      } else if (tool === 'TaskCreate') {
        const id = String(++created)
        if (items.length < MOST_TODOS) items = [...items, ...toItem({ ...input, id })]
        makes.set(call, id)
      } else if (tool === 'TaskUpdate') {
        items = items.flatMap(item => (item.id === asText(input.taskId) ? change(item, input) : [item]))
      } else {
        return null
      }
      return items
    },

    /** The list after a tool's answer; null if that changes nothing. */
    answer(call: string, ok: boolean, result: unknown): TodoItem[] | null {
      const assumed = makes.get(call)
      if (assumed === undefined) return null
      makes.delete(call)
      const id = asText(asObject(asObject(result)?.task)?.id) || assumed
      if (ok && id === assumed) return null
      items = items.flatMap(item => (item.id !== assumed ? [item] : ok ? [{ ...item, id }] : []))
      return items
    },
  }
}

function change(item: TodoItem, input: Fields): TodoItem[] {
  if (input.status === 'deleted') return []
  return [
    {
      ...item,
      content: oneLine(asText(input.subject)) || item.content,
      status: statusOf(input.status) ?? item.status,
      activeForm: oneLine(asText(input.activeForm)) || item.activeForm,
    },
  ]
}
