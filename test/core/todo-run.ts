import type { TodoItem } from '../../src/core/events.ts'
import { projectTodo } from '../../src/core/todo.ts'
import { buildTable } from '../../src/workflows/build/table.ts'
import { play, task } from './play.ts'

export const table = buildTable()

/** A build of three tasks, each of which waits for the one before. */
export const start = () =>
  play(table, [
    task('#1', { active: 'Doing one' }),
    task('#2', { blockedBy: ['#1'] }),
    task('#3', { blockedBy: ['#2', 'gone'] }),
  ])
export type Run = ReturnType<typeof start>
export const project = (run: Run) => projectTodo(run.tasks, run.state, table)
export const item = (content: string, more: Partial<TodoItem> = {}): TodoItem => ({
  content,
  status: 'pending',
  activeForm: 'Doing',
  ...more,
})
