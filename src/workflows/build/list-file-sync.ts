import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import type { TodoItem } from '../../core/events.ts'
import type { Folded } from '../../core/evolve.ts'
import { stageOf } from '../../core/table.ts'
import type { Edit, TaskId } from '../../core/task.ts'
import { projectTodo, readTodo, shownTasks } from '../../core/todo.ts'
import { forceReplaceFile, forceReplaceFileUnsynced } from '../../store/files/inside.ts'
import { isPinned, type PinnedFolder } from '../../store/files/pinned.ts'
import { LIMITS, textAt } from '../../store/files/read.ts'
import { type ListChange, type ListFile, readChange, writeList } from '../shared/list-file.ts'
import type { Context } from '../workflow.ts'
import { carryOver } from './rules/carry-over.ts'
import { PLAN } from './rules/check-list.ts'
import { detailsOf } from './rules/planned.ts'
import { agentEdit, personEdit } from './rules/todo-edits.ts'

export interface ListFileSync {
  /** Writes the run's state into tasks.json and details.json. */
  write(): void
  /** The same without waiting for the disk, for a list that is soon written again. A crash may bring back the old one. */
  show(): void
  /** Reads what a person changed in the list. */
  byPerson(at: number): ListChange
  /** Reads what the agent of a task changed in the list. Most changes are refused. */
  byAgent(task: TaskId, room: number, at: number): ListChange
}

export type ListFileOptions = Pick<Context, 'table' | 'journal' | 'run'> & {
  session: { root: PinnedFolder; dir: string }
}

/** Keeps a build's list file and the run in step. People and agents may edit the file. */
export function syncListFile({ session: { root, dir }, table, journal, run }: ListFileOptions): ListFileSync {
  const path = join(dir, 'tasks.json')
  const list = ({ tasks, state }: Folded) => projectTodo(tasks, state, table)
  /** There is no list before the plan. A list that people emptied still exists. */
  const exists = ({ tasks, state }: Folded) =>
    tasks.every(task => task.id !== PLAN || stageOf(table, state, task) === 'done')
  const file: ListFile<readonly TodoItem[]> = {
    place: { root, path, writePath: () => path },
    read(json) {
      const read = readTodo(json)
      return 'items' in read ? { list: read.items } : read
    },
    project: now => (exists(now) ? list(now) : null),
    ifGone: [],
    surelyAfter: ['began', 'applied'],
    journal,
    run,
    lastValid: [],
    written: null,
  }

  const write = (replace = forceReplaceFile) => {
    // A project that was removed must not be created again.
    if (!exists(run()) || !isPinned(root)) return
    writeList(file, replace)
    const details = detailsOf(shownTasks(run().tasks, table))
    const text = `${JSON.stringify(details, null, 2)}\n`
    const detailsPath = join(dir, 'details.json')
    if (Object.keys(details).length > 0 && textAt(detailsPath, { limit: LIMITS.text }) !== text)
      forceReplaceFile(root, detailsPath, text)
  }

  /** What somebody changed, read by `meaning` from the list as it is now with their changes in it. */
  function change(
    by: 'person' | 'agent',
    at: number,
    meaning: (now: Folded, items: TodoItem[]) => { edit: Edit; refused: string[] },
  ): ListChange {
    if (!exists(run())) return { edit: null, refused: [] }
    return readChange(file, by, at, (found, written) =>
      isDeepStrictEqual(found, list(written))
        ? { edit: {}, refused: [] }
        : meaning(run(), carryOver(list(written), found, list(run()))),
    )
  }

  return {
    write: () => write(),
    show: () => write(forceReplaceFileUnsynced),
    byPerson: at => change('person', at, ({ tasks, state }, items) => personEdit(tasks, state, table, items)),
    byAgent(task, room, at) {
      // What a planner puts there is no change of a list.
      if (task === PLAN) return { edit: null, refused: [] }
      return change('agent', at, ({ tasks, state }, items) =>
        agentEdit(tasks, state, table, items, task, room),
      )
    },
  }
}
