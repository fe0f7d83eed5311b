import { join } from 'node:path'
import { detailsOf } from '../../core/build/planned.ts'
import type { RunEvent, TodoItem } from '../../core/events.ts'
import type { Task, TaskId } from '../../core/task.ts'
import { isShown, projectTodo, readTodo, shownTasks } from '../../core/todo.ts'
import { agentEdit, personEdit } from '../../core/todo-edits.ts'
import type { Workflow } from '../../core/workflow.ts'
import { openListFile } from '../../store/list-file.ts'
import { itemSpeller } from './spell-items.ts'
import type { Standing } from './trade.ts'

type Edited = Extract<RunEvent, { type: 'edited' }>

/** What is told of a list that someone may have changed. */
type Change = {
  edit: Edited | null
  /** What was not accepted, in sentences. */
  refused: string[]
}

export interface ListKeeper {
  /** Writes tasks.json and details.json as the truth has them. */
  write(): void
  /** What a person made of the list. */
  byPerson(at: number): Change
  /** What the agent of a task made of it, of which little counts. */
  byAgent(task: TaskId, room: number, at: number): Change
}

const NOTHING: Change = { edit: null, refused: [] }

/** Keeps a build's list: a projection of the truth, in which others may write. */
export function keepList(
  dir: string,
  shown: (path: string) => string,
  workflow: Workflow,
  run: () => Standing,
): ListKeeper {
  const spell = itemSpeller()
  const bytes = () => spell(projectTodo(run().tasks, run().state, workflow))
  const file = openListFile(join(dir, 'tasks.json'), bytes())
  const detailsFile = openListFile(join(dir, 'details.json'), null)
  /** The list that details.json tells of. */
  let detailed: readonly Task[] = []
  const isPlanned = () => run().tasks.some(task => isShown(task, workflow))

  const write = () => {
    const { tasks } = run()
    // Before there is a plan, there is no list.
    if (!isPlanned()) return
    if (tasks !== detailed) {
      const details = detailsOf(shownTasks(tasks, workflow))
      if (Object.keys(details).length > 0)
        detailsFile.write(Buffer.from(`${JSON.stringify(details, null, 2)}\n`))
      detailed = tasks
    }
    file.write(bytes())
  }

  function read(understand: (items: TodoItem[], run: Standing) => Change): Change {
    const found = file.changed()
    if (found === null || !isPlanned()) return NOTHING
    const list = parse(found)
    if ('items' in list) return understand(list.items, run())
    const kept = shown(file.keep(found))
    write()
    return {
      edit: null,
      refused: [
        `tasks.json could not be used (${list.errors[0]}); it is kept as ${kept}, and the last good list stands`,
      ],
    }
  }

  return {
    write,
    byPerson: at =>
      read((items, { tasks, state }) => {
        const edit = personEdit(tasks, state, workflow, items)
        const isEmpty = Object.keys(edit).length === 0
        return { edit: isEmpty ? null : { type: 'edited', at, by: 'person', ...edit }, refused: [] }
      }),
    byAgent: (task, room, at) =>
      read((items, { tasks, state }) => {
        const { list, refused } = agentEdit(tasks, state, workflow, items, task, room)
        return { edit: list ? { type: 'edited', at, by: 'agent', list } : null, refused }
      }),
  }
}

function parse(text: string): { items: TodoItem[] } | { errors: string[] } {
  try {
    return readTodo(JSON.parse(text))
  } catch (error) {
    return { errors: [`it is no JSON: ${(error as Error).message}`] }
  }
}
