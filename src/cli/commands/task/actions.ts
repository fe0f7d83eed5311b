import { basename } from 'node:path'
import { UsageError } from '../../../core/usage-error.ts'
import { safeJson } from '../../../core/visible.ts'
import { ralphHome } from '../../../runs/find.ts'
import { projectOf } from '../../../runs/project.ts'
import { refuseFromWithinAny } from '../../../runs/within.ts'
import { loadSettings } from '../../../settings/load.ts'
import { complain, print, printError, printText } from '../../../terminal/print.ts'
import { checkNewTasks, readNewTasks, showFileProblem } from '../../../workflows/pipeline/tasks/read-file.ts'
import { readGivenTask } from '../../../workflows/pipeline/tasks/read-task.ts'
import { fileTaskStore, NO_TASKS, type TaskStore } from '../../../workflows/pipeline/tasks/store.ts'
import {
  exported,
  isTaskId,
  type PipelineTask,
  TASK_STATUSES,
  type TaskRules,
  type TaskStatus,
  taskRules,
} from '../../../workflows/pipeline/tasks/task.ts'
import type { TaskFields, TaskProject } from '../../verbs/task.ts'
import { readInput } from '../run/start-run.ts'
import { givenFrom, optionAt, withFields } from './fields.ts'
import { listLines, taskLines } from './show.ts'

type Listed = TaskProject & { spec?: string; status?: string; json?: boolean }

const now = (): string => new Date().toISOString()

/** The store of a project, and how its tasks are read. */
function open({ projectDir }: TaskProject): { store: TaskStore; options: TaskRules } {
  const project = projectOf(projectDir, process.env)
  const { settings } = loadSettings(project)
  const options = taskRules(settings)
  return { store: fileTaskStore(project, options), options }
}

/** The same to change something. An agent must not decide what its own work is measured by. */
function openToChange(options: TaskProject) {
  refuseFromWithinAny(ralphHome(process.env), process.env, 'change tasks')
  return open(options)
}

/** What `ralph task` does, by action. */
export const taskActions = {
  create(
    { id, spec, title }: { id: string; spec: string; title: string },
    fields: TaskFields & TaskProject,
  ): number {
    return add({ id, spec_id: spec, title, ...givenFrom(fields) }, fields)
  },

  followUp(
    of: string,
    { id, title }: { id: string; title: string },
    fields: TaskFields & TaskProject,
  ): number {
    const { spec_id } = need(open(fields).store, of)
    const dependencies = [...new Set([of, ...(fields.dependsOn ?? [])])]
    const given = { ...givenFrom(fields), dependencies, metadata: { followup_of: of } }
    return add({ id, spec_id, title, ...given }, fields)
  },

  edit(id: string, fields: TaskFields & TaskProject & { title?: string; status?: TaskStatus }): number {
    const { store, options } = openToChange(fields)
    const task = need(store, id)
    const { status, title } = fields
    const changed = withFields(exported(task), fields, title)
    if (changed === null && status === undefined)
      throw new UsageError('nothing to change; name it with an option, such as --title or --status')
    const read = readGivenTask(changed ?? exported(task), { ...options, specId: task.spec_id, now: now() })
    if ('problems' in read) throw new UsageError(listProblems(read.problems))
    const others = store.list().filter(other => other.id !== id)
    refuse(checkNewTasks([read.task], others))
    const { created_at, iteration, metadata } = task
    const next = { ...read.task, created_at, iteration, metadata, status: status ?? task.status }
    store.save(next)
    printText(`${id} is changed`)
    return 0
  },

  async importFile(file: string, { spec, ...options }: TaskProject & { spec?: string }): Promise<number> {
    const { store, options: reading } = openToChange(options)
    const { text, specId } = readNamed(file, spec)
    const read = await readNewTasks(text, { ...reading, specId, now: now() }, store.list())
    if ('problems' in read) {
      const { problems } = read
      for (const problem of problems) printError(showFileProblem(file, problem))
      throw new UsageError(
        `${file} has ${problems.length === 1 ? 'a problem' : `${problems.length} problems`}; nothing was imported`,
      )
    }
    store.add(read.tasks)
    for (const { id, title } of read.tasks) printText(`${id} ${title}`)
    return 0
  },

  async exportTasks(ids: string[], options: Listed): Promise<number> {
    const { store } = open(options)
    const chosen = ids.length > 0 ? ids.map(id => need(store, id)) : store.list()
    const tasks = chosen
      .filter(task => options.spec === undefined || task.spec_id === options.spec)
      .map(exported)
    if (options.json) print(safeJson(tasks, 2))
    else if (tasks.length > 0) print((await import('yaml')).stringify(tasks).trimEnd())
    return 0
  },

  list({ spec, status, json, ...options }: Listed): number {
    if (status !== undefined && !(TASK_STATUSES as readonly string[]).includes(status))
      throw new UsageError(`--status ${status} is none of ${TASK_STATUSES.join(', ')}`)
    const all = open(options).store.list()
    const tasks = all.filter(
      task =>
        (spec === undefined || task.spec_id === spec) && (status === undefined || task.status === status),
    )
    if (json) print(safeJson(tasks, 2))
    else if (tasks.length === 0) complain(all.length === 0 ? NO_TASKS : 'no task matches these options')
    else for (const line of listLines(tasks)) printText(line)
    return 0
  },

  show(id: string, { json, ...options }: Listed): number {
    const task = need(open(options).store, id)
    if (json) print(safeJson(task, 2))
    else for (const line of taskLines(task)) printText(line)
    return 0
  },

  remove(ids: string[], options: TaskProject): number {
    const { store } = openToChange(options)
    const all = store.list()
    for (const id of ids) {
      const { status } = need(store, id)
      if (status === 'in_progress')
        throw new UsageError(`${id} is worked on; stop its run with ralph cancel, then remove it`)
      const waiting = all.find(other => !ids.includes(other.id) && other.dependencies.includes(id))
      if (waiting) throw new UsageError(`${waiting.id} depends on ${id}; remove it too, or change it first`)
    }
    for (const id of new Set(ids)) {
      store.remove(id)
      printText(`${id} is removed`)
    }
    return 0
  },
}

function add(given: Record<string, unknown>, options: TaskProject): number {
  const { store, options: reading } = openToChange(options)
  const read = readGivenTask(given, { ...reading, specId: null, now: now() })
  if ('problems' in read) throw new UsageError(listProblems(read.problems))
  refuse(checkNewTasks([read.task], store.list()))
  store.add([read.task])
  printText(`${read.task.id} is created`)
  return 0
}

/** What a file holds (`-`: standard input), and the spec of its tasks: the one that was named, else the file's name. */
export function readNamed(file: string, spec: string | undefined): { text: string; specId: string | null } {
  const text = readInput(file === '-' ? '/dev/stdin' : file, file)
  const name = basename(file).replace(/\.\w+$/, '')
  return { text, specId: spec ?? (file !== '-' && isTaskId(name) ? name : null) }
}

/** A task by its id, or the way to one. */
function need(store: TaskStore, id: string): PipelineTask {
  const found = store.get(id)
  if (found) return found
  throw new UsageError(`there is no task ${id}; ralph task list shows those that are there`)
}

function refuse(problems: ReturnType<typeof checkNewTasks>): void {
  if (problems.length > 0)
    throw new UsageError(
      listProblems(problems.map(({ path, ...rest }) => ({ ...rest, path: path.slice(1) }))),
    )
}

const listProblems = (problems: ReturnType<typeof checkNewTasks>): string =>
  problems.map(({ path, problem }) => `${optionAt(path)} ${problem}`).join('; ')
