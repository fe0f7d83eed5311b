import { existsSync } from 'node:fs'
import { join, relative } from 'node:path'
import type { RunEvent, TodoItem } from '../../core/events.ts'
import { evolve, evolveList } from '../../core/evolve.ts'
import { initial, type RunState, type StageTable } from '../../core/table.ts'
import type { Task, TaskId } from '../../core/task.ts'
import { isShown, readTodo, shownTasks, todoProjector } from '../../core/todo.ts'
import { type Handed, openListFile } from '../../store/list-file.ts'
import type { Folded } from '../workflow.ts'
import { itemSpeller } from './format-items.ts'
import { detailsOf } from './rules/planned.ts'
import { rebase } from './rules/rebase.ts'
import { agentEdit, personEdit } from './rules/todo-edits.ts'

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
  /** The same for a list that is soon written again: the one before it is ralph's own, too, and may come back. */
  show(): void
  /** Writes them where they got lost. */
  restore(): void
  /** What a person made of the list. */
  byPerson(at: number): Change
  /** What the agent of a task made of it, of which little counts. */
  byAgent(task: TaskId, room: number, at: number): Change
}

const NOTHING: Change = { edit: null, refused: [] }

/** Keeps a build's list: a projection of the truth, in which others may write. `past`: the journal so far. */
export function keepList(
  { project, dir }: { project: string; dir: string },
  workflow: StageTable,
  past: readonly RunEvent[],
  run: () => Folded,
): ListKeeper {
  const spell = itemSpeller()
  const projected = todoProjector(workflow)
  const handed = lastLists(past, workflow)
  const file = openListFile(join(dir, 'tasks.json'), handed)
  const detailsFile = openListFile(join(dir, 'details.json'), { own: [], given: null })
  /** The list that details.json tells of, if there is anything to tell. */
  let detailed: { of: readonly Task[]; any: boolean } = { of: [], any: false }
  /** A list that people emptied is a list. */
  let isMade = handed.given !== null

  const put = (into: 'write' | 'show') => {
    const { tasks, state } = run()
    // Before there is a plan, there is no list; and a project that is gone is not ours to make.
    isMade ||= tasks.some(task => isShown(task, workflow))
    if (!isMade || !existsSync(project)) return
    file[into](spell(projected(tasks, state)))
    if (tasks === detailed.of && (!detailed.any || detailsFile.isThere())) return
    const details = detailsOf(shownTasks(tasks, workflow))
    detailed = { of: tasks, any: Object.keys(details).length > 0 }
    if (detailed.any) detailsFile.write(Buffer.from(`${JSON.stringify(details, null, 2)}\n`))
  }
  const write = () => put('write')

  function read(understand: (items: TodoItem[], run: Folded) => Change): Change {
    const found = file.changed()
    if (found === null) return NOTHING
    const list = parse(found.text)
    if ('items' in list) {
      const { tasks, state } = run()
      const now = projected(tasks, state)
      return understand(rebase(JSON.parse(found.written), list.items, now), { tasks, state })
    }
    const kept = relative(project, file.keep(found.text))
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
    show: () => put('show'),
    restore: () => {
      if (file.isLost()) write()
    },
    byPerson: at =>
      read((items, { tasks, state }) => {
        const { edit, refused } = personEdit(tasks, state, workflow, items)
        const isEmpty = Object.keys(edit).length === 0
        return { edit: isEmpty ? null : { type: 'edited', at, by: 'person', ...edit }, refused }
      }),
    byAgent: (task, room, at) =>
      read((items, { tasks, state }) => {
        const { list, refused } = agentEdit(tasks, state, workflow, items, task, room)
        return { edit: list ? { type: 'edited', at, by: 'agent', list } : null, refused }
      }),
  }
}

/** With these the list is handed to whoever comes next: an agent, or people. */
const HANDED: readonly RunEvent['type'][] = ['started', 'applied', 'stopped', 'finished']

/**
 * The list when a step was last applied, for then it was surely written, and every one since, for a crash may have
 * come before or after the writing.
 */
function lastLists(past: readonly RunEvent[], workflow: StageTable): Handed {
  const from = past.findLastIndex(event => event.type === 'applied')
  const spell = itemSpeller()
  const projected = todoProjector(workflow)
  const own: Buffer[] = []
  let given: Buffer | null = null
  let state: RunState = initial
  let tasks: readonly Task[] = []
  let isMade = false
  for (const [place, event] of past.entries()) {
    state = evolve(state, event)
    tasks = evolveList(tasks, event)
    isMade ||= tasks.some(task => isShown(task, workflow))
    if (place < from || !isMade) continue
    const bytes = spell(projected(tasks, state))
    if (!own.at(-1)?.equals(bytes)) own.push(bytes)
    if (given === null || HANDED.includes(event.type)) given = bytes
  }
  return { own, given }
}

function parse(text: string): { items: TodoItem[] } | { errors: string[] } {
  try {
    return readTodo(JSON.parse(text))
  } catch (error) {
    return { errors: [`it is no JSON: ${(error as Error).message}`] }
  }
}
