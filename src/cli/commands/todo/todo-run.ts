import type { RunEvent } from '../../../core/events.ts'
import { fold, stoppedCleanly } from '../../../core/evolve.ts'
import { type Limits, stageOf } from '../../../core/table.ts'
import { findTaskId } from '../../../core/task.ts'
import { blockedTasks, projectTodo } from '../../../core/todo.ts'
import { UsageError } from '../../../core/usage-error.ts'
import { safeJson } from '../../../core/visible.ts'
import { canGoOn, findRun, latestMatching, ralphHome, type StoredRun } from '../../../runs/find.ts'
import { type Answer, type Io, obeyed, printAnswer, say } from '../../../runs/io.ts'
import { isLive } from '../../../runs/live.ts'
import { projectOf } from '../../../runs/project.ts'
import { appendEvents, sendRequest, withStoppedRun } from '../../../runs/steer.ts'
import { refuseFromWithin, senderOf } from '../../../runs/within.ts'
import { pinFolder } from '../../../store/files/pinned.ts'
import { sessionDir } from '../../../store/session.ts'
import { taskSummary } from '../../../view/task-list.ts'
import { plain } from '../../../view/text/plain.ts'
import { type ListFileSync, syncListFile } from '../../../workflows/build/list-file-sync.ts'
import { type TodoRequest, todoEdit } from '../../../workflows/build/rules/todo-request.ts'
import { buildWorkflow } from '../../../workflows/build/workflow.ts'
import { isOf } from '../../../workflows/traits.ts'
import type { TodoOptions } from '../../verbs/steer.ts'

const TODO_ACTIONS = ['add', 'done', 'skip', 'edit'] as const

/** What `ralph todo` can do to a list. */
export type TodoAction = (typeof TODO_ACTIONS)[number]

/** Shows or changes a build's list. */
export async function todoRun(words: string[], options: TodoOptions, io: Io): Promise<number> {
  const { env } = io
  // No run has an action's name: its id begins with a date.
  const isNamed = words.length > 0 && !isAction(words[0]!)
  const run = isNamed ? findRun(ralphHome(env), words[0]!) : latestBuild(options, env)
  if (!isOf(buildWorkflow, run))
    throw new UsageError(`run ${run.id} has no list of tasks; only a build has one`)
  const [action, ...rest] = isNamed ? words.slice(1) : words
  if (action === undefined) return show(run, options, io)
  if (!isAction(action))
    throw new UsageError(`ralph todo has no action "${action}"; it has ${TODO_ACTIONS.join(', ')}`)
  const { tasks } = fold(run.events)
  const request = requestOf(action, rest, options.after, id => findTaskId(tasks, id) ?? id)
  const change = await changeTodo(run, request, env)
  return options.json && change.changed ? show(change.changed, options, io) : printAnswer(change, io)
}

/**
 * Changes a build's list. A run that is at work gets a request. For any other, journal and list are written. `changed` is
 * the run with the change, null if it is only sent.
 */
export async function changeTodo(
  run: StoredRun,
  request: TodoRequest,
  env: NodeJS.ProcessEnv,
): Promise<Answer & { changed: StoredRun | null }> {
  refuseFromWithin(run, env)
  if (isLive(run)) {
    editFor(run, run.events, request)
    sendRequest(run, { type: 'todo', request }, env)
    const text = `sent to run ${run.id}, which changes its list before its next step`
    return { ...obeyed(text), changed: null }
  }
  if (!canGoOn(run.events)) throw new UsageError(`run ${run.id} is finished; no agent would work on it`)
  const { events, warnings } = await changeStopped(run, request, env)
  const changed = { ...run, events }
  return { ...obeyed(listText(changed), warnings), changed }
}

const isAction = (word: string): word is TodoAction => (TODO_ACTIONS as readonly string[]).includes(word)

function latestBuild({ projectDir }: TodoOptions, env: NodeJS.ProcessEnv): StoredRun {
  const project = projectOf(projectDir, env)
  const run = latestMatching(ralphHome(env), project, run => isOf(buildWorkflow, run))
  if (!run) throw new UsageError(`no build in ${project}; start one with: ralph build`)
  return run
}

type Edited = Extract<RunEvent, { type: 'edited' }>

function editFor({ began }: StoredRun, events: readonly RunEvent[], request: TodoRequest): Edited {
  const { tasks, state } = fold(events)
  const edit = todoEdit(tasks, state, tableOf(began.pins), request)
  if ('error' in edit) throw new UsageError(edit.error)
  return { type: 'edited', at: Date.now(), by: 'person', ...edit }
}

const tableOf = (pins: Record<string, unknown>) => buildWorkflow.table(buildWorkflow.readSpec(pins))

/** Adopts what was written into tasks.json first, then makes the change. The file then has both. */
const changeStopped = (
  run: StoredRun,
  request: TodoRequest,
  env: NodeJS.ProcessEnv,
): Promise<{ events: RunEvent[]; warnings: string[] }> =>
  withStoppedRun(ralphHome(env), run, past => {
    const { pins } = run.began
    const place = buildWorkflow.readSpec(pins).sessions ?? run.began.project
    const events = [...past]
    const list = syncListFile({
      session: { root: pinFolder(place), dir: sessionDir(place, run.id) },
      table: tableOf(pins),
      journal: () => past,
      run: () => fold(events),
    })
    const { edit, refused } = readList(list, past)
    if (edit) events.push(edit)
    events.push({ ...editFor(run, events, request), from: senderOf(env) })
    appendEvents(run, ...events.slice(past.length))
    list.write()
    return { events, warnings: refused }
  })

/** After a crash the list may hold what the agent wrote, so it is read as the agent's. */
function readList(list: ListFileSync, past: readonly RunEvent[]): ReturnType<ListFileSync['byPerson']> {
  const { unapplied, flight, added } = fold(past).state
  const [step] = [...Object.values(unapplied), ...Object.values(flight)]
  if (!step || stoppedCleanly(past)) return list.byPerson(Date.now())
  const { limits } = past.findLast(e => e.type === 'began' || e.type === 'resumed') as { limits: Limits }
  return list.byAgent(step.task, limits.additions - added, Date.now())
}

/** `meant`: the id of the task that somebody means. */
function requestOf(
  action: TodoAction,
  words: string[],
  after: string[] | undefined,
  meant: (word: string) => string,
): TodoRequest {
  const [named = '', ...rest] = words
  const task = meant(named)
  const need = (text: string, what: string) => {
    if (text.trim() === '') throw new UsageError(`ralph todo … ${action}: say ${what}`)
    return text
  }
  if (action !== 'add' && after !== undefined) throw new UsageError('--after goes with add only')
  switch (action) {
    case 'add':
      return {
        action,
        text: need(words.join(' '), 'what to do'),
        ...(after && { blockedBy: after.map(meant) }),
      }
    case 'done':
    case 'skip':
      if (rest.length > 0) throw new UsageError(`ralph todo … ${action} takes one task, such as 2`)
      return { action, task: need(task, 'which task, such as 2') }
    case 'edit':
      return {
        action,
        task: need(task, 'which task, such as 2'),
        text: need(rest.join(' '), 'what to change it to'),
      }
    default:
      return action satisfies never
  }
}

function show(run: StoredRun, { json }: TodoOptions, { stdout }: Io): number {
  if (!json) return say(stdout, listText(run))
  const { tasks, state } = fold(run.events)
  stdout.write(`${safeJson(projectTodo(tasks, state, tableOf(run.began.pins)), 2)}\n`)
  return 0
}

function listText({ began, events }: StoredRun): string {
  const table = tableOf(began.pins)
  const { tasks, state } = fold(events)
  const items = projectTodo(tasks, state, table)
  const isPlanned = tasks.every(task => stageOf(table, state, task) === 'done')
  if (items.length === 0) return isPlanned ? EMPTY : UNPLANNED
  return plain(taskSummary(items, blockedTasks(tasks, state, table)).join('\n'))
}

const EMPTY = 'the list is empty'
const UNPLANNED = 'no tasks yet: the plan is not ready'
