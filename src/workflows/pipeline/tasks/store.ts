import { readdirSync, unlinkSync } from 'node:fs'
import { join } from 'node:path'
import { firstProblem } from '../../../core/format.ts'
import { JsonError, parseJson } from '../../../core/json.ts'
import { UsageError } from '../../../core/usage-error.ts'
import { showPath } from '../../../settings/names.ts'
import { replaceFile } from '../../../store/files/atomic.ts'
import { actInside, kindAt, makeFolder } from '../../../store/files/inside.ts'
import { pinFolder } from '../../../store/files/pinned.ts'
import { LIMITS, readRegularFile } from '../../../store/files/read.ts'
import { readStoredTask } from './read-task.ts'
import { isTaskId, type PipelineTask, specOut, TASK_VERSION, type TaskRules } from './task.ts'

/** Where the pipeline's tasks are kept. Files are one way; a team may want a database. */
export interface TaskStore {
  /** All tasks, by id. Throws a UsageError if one of them cannot be read. */
  list(): PipelineTask[]
  /** The task with this id. Null if there is none. */
  get(id: string): PipelineTask | null
  /** Adds all of them or none. The caller has made sure that their ids are free. */
  add(tasks: readonly PipelineTask[]): void
  /** Replaces a task that is there. */
  save(task: PipelineTask): void
  remove(id: string): void
}

export const NO_TASKS =
  'there are no tasks yet; create one with ralph task create, or: ralph task import FILE'

/** The folder of the tasks, relative to the project. */
export const TASKS_DIR = '.ralph/tasks'

/** One JSON file for each task. Each is replaced whole, so a crash leaves the old one or the new one. */
export function fileTaskStore(project: string, options: TaskRules): TaskStore {
  const root = pinFolder(project)
  const dir = join(project, TASKS_DIR)
  const pathOf = (id: string) => join(dir, `${id}.json`)

  function read(id: string): PipelineTask {
    const file = `${TASKS_DIR}/${id}.json`
    const found = readStoredTask(parseFile(pathOf(id), file), options)
    if ('problems' in found) {
      const all = found.problems.map(({ path, problem }) =>
        [showPath(path), problem].filter(Boolean).join(' '),
      )
      throw new UsageError(`${file}: ${firstProblem(all)}`)
    }
    if (found.task.id !== id)
      throw new UsageError(`${file}: id is "${found.task.id}", but the file is ${id}.json`)
    return found.task
  }

  function write(task: PipelineTask): void {
    makeFolder(root, dir)
    actInside(root, pathOf(task.id), entry => replaceFile(entry, textOf(task)))
  }

  const discard = (id: string): void => actInside(root, pathOf(id), unlinkSync)

  return {
    list: () => idsIn(dir).map(read),
    get: id => (isTaskId(id) && kindAt(pathOf(id)) !== null ? read(id) : null),
    add(tasks) {
      const written: string[] = []
      try {
        for (const task of tasks) {
          write(task)
          written.push(task.id)
        }
      } catch (error) {
        for (const id of written) discard(id)
        throw new UsageError(`${TASKS_DIR} cannot be written: ${(error as Error).message}; no task was added`)
      }
    },
    save: write,
    remove: discard,
  }
}

function parseFile(path: string, file: string): unknown {
  try {
    return parseJson(readRegularFile(path, { limit: LIMITS.small, noLink: true }).toString())
  } catch (error) {
    const what = error instanceof JsonError ? `${error.place}: ${error.what}` : (error as Error).message
    throw new UsageError(`${file}: ${what}; correct it, or remove it`)
  }
}

const textOf = ({ completion_spec, ...task }: PipelineTask): string =>
  `${JSON.stringify({ v: TASK_VERSION, ...task, completion_spec: completion_spec && specOut(completion_spec) }, null, 2)}\n`

/** Sorted, with numbers in them counted as numbers: TASK-2 before TASK-10. */
function idsIn(dir: string): string[] {
  const order = new Intl.Collator('en', { numeric: true })
  return namesIn(dir)
    .filter(name => name.endsWith('.json') && !name.startsWith('.'))
    .map(name => name.slice(0, -'.json'.length))
    .sort(order.compare)
}

function namesIn(dir: string): string[] {
  try {
    return readdirSync(dir)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw new UsageError(`${TASKS_DIR} cannot be read: ${(error as Error).message}`)
  }
}
