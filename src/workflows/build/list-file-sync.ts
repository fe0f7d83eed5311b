import { join, relative } from 'node:path'
import type { RunEvent, TodoItem } from '../../core/events.ts'
import { evolve, evolveList } from '../../core/evolve.ts'
import { parseJson } from '../../core/json.ts'
import { initial, type RunState, type StageTable } from '../../core/table.ts'
import type { Task, TaskId } from '../../core/task.ts'
import { isShown, projectTodo, readTodo, shownTasks } from '../../core/todo.ts'
import { isPinned, type PinnedFolder } from '../../store/files/pinned.ts'
import { type KnownVersions, openListFile } from '../../store/list-file.ts'
import type { Context, Folded } from '../workflow.ts'
import { detailsOf } from './rules/planned.ts'
import { rebase } from './rules/rebase.ts'
import { agentEdit, personEdit } from './rules/todo-edits.ts'

type Edited = Extract<RunEvent, { type: 'edited' }>

/** What someone changed in the list. */
type Change = {
  edit: Edited | null
  /** Sentences about what was not accepted. */
  refused: string[]
}

export interface ListFileSync {
  /** Writes the run's state into tasks.json and details.json. */
  write(): void
  /** The same without waiting for the disk, for a list that is soon written again. A crash may bring back the old one. */
  show(): void
  /** Writes the files again if they are gone. */
  restore(): void
  /** Reads what a person changed in the list. */
  byPerson(at: number): Change
  /** Reads what the agent of a task changed in the list. Most changes are refused. */
  byAgent(task: TaskId, room: number, at: number): Change
}

export type ListFileOptions = Pick<Context, 'table' | 'past' | 'run'> & {
  session: { root: PinnedFolder; dir: string }
}

const NO_CHANGE: Change = { edit: null, refused: [] }

/** Keeps a build's list file and the run in step. People and agents may edit the file. */
export function syncListFile({ session: { root, dir }, table, past, run }: ListFileOptions): ListFileSync {
  const todo = () => projectTodo(run().tasks, run().state, table)
  const handed = recentLists(past, table)
  const file = openListFile(root, join(dir, 'tasks.json'), handed)
  const detailsFile = openListFile(root, join(dir, 'details.json'), { own: [], given: null })
  /** The list that details.json was last written for, and whether it has any details. */
  let written: { tasks: readonly Task[]; hasDetails: boolean } = { tasks: [], hasDetails: false }
  /** A list that people emptied still exists. */
  let exists = handed.given !== null

  const writeList = (how: 'write' | 'show') => {
    const { tasks } = run()
    // There is no list before the plan, and a project that was removed must not be created again.
    exists ||= tasks.some(task => isShown(task, table))
    if (!exists || !isPinned(root)) return
    file[how](format(todo()))
    if (tasks === written.tasks && (!written.hasDetails || detailsFile.isThere())) return
    const details = detailsOf(shownTasks(tasks, table))
    written = { tasks, hasDetails: Object.keys(details).length > 0 }
    if (written.hasDetails) detailsFile.write(Buffer.from(`${JSON.stringify(details, null, 2)}\n`))
  }
  const write = () => writeList('write')

  function read(interpret: (items: TodoItem[], run: Folded) => Change): Change {
    const found = file.changed()
    if (found === null) return NO_CHANGE
    if ('unusable' in found) return refuse(found.unusable, found.kept)
    const list = parse(found.text)
    if ('items' in list) return interpret(rebase(JSON.parse(found.written), list.items, todo()), run())
    return refuse(list.errors[0]!, file.keep(found.text))
  }

  function refuse(why: string, kept: string): Change {
    write()
    const what = `tasks.json could not be used (${why})`
    return {
      edit: null,
      refused: [`${what}; it is kept as ${relative(root.path, kept)}, and the last valid list is used`],
    }
  }

  return {
    write,
    show: () => writeList('show'),
    restore: () => {
      if (file.isLost()) write()
    },
    byPerson: at =>
      read((items, { tasks, state }) => {
        const { edit, refused } = personEdit(tasks, state, table, items)
        const isEmpty = Object.keys(edit).length === 0
        return { edit: isEmpty ? null : { type: 'edited', at, by: 'person', ...edit }, refused }
      }),
    byAgent: (task, room, at) =>
      read((items, { tasks, state }) => {
        const { list, refused } = agentEdit(tasks, state, table, items, task, room)
        return { edit: list ? { type: 'edited', at, by: 'agent', list } : null, refused }
      }),
  }
}

const format = (items: readonly TodoItem[]): Buffer => Buffer.from(`${JSON.stringify(items, null, 2)}\n`)

/** Events after which an agent or people may edit the list. */
const HANDING_OVER: readonly RunEvent['type'][] = ['started', 'applied', 'stopped', 'finished']

/**
 * The lists that ralph may have written last: the one from when a step was last applied, which is surely on disk, and
 * every later one, since a crash may have come before or after it was written.
 */
function recentLists(past: readonly RunEvent[], table: StageTable): KnownVersions {
  const from = past.findLastIndex(event => event.type === 'applied')
  const own: Buffer[] = []
  let given: Buffer | null = null
  let state: RunState = initial
  let tasks: readonly Task[] = []
  let exists = false
  for (const [index, event] of past.entries()) {
    state = evolve(state, event)
    tasks = evolveList(tasks, event)
    exists ||= tasks.some(task => isShown(task, table))
    if (index < from || !exists) continue
    const bytes = format(projectTodo(tasks, state, table))
    if (!own.at(-1)?.equals(bytes)) own.push(bytes)
    if (given === null || HANDING_OVER.includes(event.type)) given = bytes
  }
  return { own, given }
}

function parse(text: string): { items: TodoItem[] } | { errors: string[] } {
  try {
    return readTodo(parseJson(text))
  } catch (error) {
    return { errors: [`it is not valid JSON: ${(error as Error).message}`] }
  }
}
