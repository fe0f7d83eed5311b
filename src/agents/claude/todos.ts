import type { TodoItem } from '../../core/events.ts'
import { asObject, asText, type Fields, shortLine } from '../shared/fields.ts'
import { MAX_TODOS, todoItems, todoStatus, toItem } from '../shared/todo-items.ts'

/** Claude's own list: TodoWrite replaces it, TaskCreate and TaskUpdate change one task. */
export function claudeTodos() {
  let items: TodoItem[] = []
  let created = 0
  /** The assumed id of the task that a call creates; the tool's result has the real one. */
  const creating = new Map<string, string>()

  return {
    /** The list after a call, or null if the call is not about the list. */
    call(call: string, tool: string, input: Fields): TodoItem[] | null {
      if (tool === 'TodoWrite') {
        items = todoItems(input.todos)
      } else if (tool === 'TaskCreate') {
        const id = String(++created)
        if (items.length < MAX_TODOS) items = [...items, ...toItem({ ...input, id })]
        creating.set(call, id)
      } else if (tool === 'TaskUpdate') {
        items = items.flatMap(item => (item.id === asText(input.taskId) ? change(item, input) : [item]))
      } else {
        return null
      }
      return items
    },

    /** The list after a tool's result, or null if that changes nothing. */
    result(call: string, ok: boolean, output: unknown): TodoItem[] | null {
      const assumed = creating.get(call)
      if (assumed === undefined) return null
      creating.delete(call)
      const id = asText(asObject(asObject(output)?.task)?.id) || assumed
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
      content: shortLine(asText(input.subject)) || item.content,
      status: todoStatus(input.status) ?? item.status,
      activeForm: shortLine(asText(input.activeForm)) || item.activeForm,
    },
  ]
}
