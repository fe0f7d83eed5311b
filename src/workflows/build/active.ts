import { join, resolve } from 'node:path'
import { readBlocked, readFailed } from '../../core/completion.ts'
import type { Finding, RunEvent } from '../../core/events.ts'
import { stoppedCleanly } from '../../core/evolve.ts'
import { isUncounted } from '../../core/outcome.ts'
import { CannotGoOn, type Check, type Work } from '../../core/ports.ts'
import { taskStateOf } from '../../core/table.ts'
import type { Task, TaskId } from '../../core/task.ts'
import { LIMITS, textAt } from '../../store/files/read.ts'
import { openProgressLog } from '../../store/progress-log.ts'
import { plain } from '../../view/text/plain.ts'
import { doneByPerson } from '../shared/list-edit.ts'
import { RESOLVE } from '../shared/merging.ts'
import { type OpenNotes, openNotes, unheardBy, withCorrections } from '../shared/notes.ts'
import { countLine } from '../shared/prompt-parts.ts'
import { resolvePrompt } from '../shared/resolve.ts'
import { taskWorktrees } from '../shared/task-worktrees.ts'
import { checkNames } from '../spec.ts'
import type { Active, Context, Recorder } from '../workflow.ts'
import { type ListFileSync, syncListFile } from './list-file-sync.ts'
import {
  goalOf,
  openPlanner,
  type Planner,
  planningChecks,
  planningClaims,
  planningPrompt,
  refiningSettled,
  skipRefining,
} from './planning.ts'
import { PLAN } from './rules/check-list.ts'
import { detailOf, isPlanning, plannedTasks } from './rules/planned.ts'
import { progressNotes } from './rules/progress.ts'
import { taskPrompt } from './rules/prompt.ts'
import { todoEdit } from './rules/todo-request.ts'
import { type BuildSpec, buildNotes } from './spec.ts'

/** A build at work. Its list file is written from the run's state; people and agents may edit it. */
type BuildRun = {
  context: Context<BuildSpec>
  list: ListFileSync
  notes: OpenNotes<typeof buildNotes>
  planner: Planner
  worktrees: ReturnType<typeof taskWorktrees>
  /** Whether the run ends when the plan is made. */
  stopsAfterPlan: boolean
}

export function openBuild(context: Context<BuildSpec>): Active {
  const { table, run, record, past } = context
  const log = openLog(context)
  const build = buildRun(context)
  const { list, planner, worktrees } = build
  return {
    ...worktrees,
    initialTasks: at => initialTasks(context, at),
    buildPrompt: work => buildPrompt(build, work),
    checks(work) {
      const { stage, step } = work
      if (step && isPlanning(stage)) return planningChecks(planner, stage, step)
      return [...failureCheck(step), ...(worktrees.checks(work) ?? work.workspace.checks())]
    },
    async claims(work, text) {
      if (isPlanning(work.stage)) return planningClaims(planner, work, text)
      const asks = readBlocked(text)
      return asks === null ? {} : { asks }
    },
    async adoptEdits() {
      if (Object.keys(run().state.unapplied).length > 0) return
      const skipped = skipRefining(planner)
      if (skipped) return record(skipped)
      adoptPersonEdit(build)
      list.write()
    },
    onRequest: request => todoEdit(run().tasks, run().state, table, request),
    onAgentStart: () => list.show(),
    apply(settled, record) {
      refiningSettled(settled, record)
      // Its agent came to an end, so it has read the corrections that it was given.
      const known = correctionsOf(build)
      if (!isUncounted(settled) && known.length > 0)
        build.notes.set('corrections', unheardBy(known, settled.id))
      applyListEdits(build, settled.task, record)
    },
    onResume() {
      if (!stoppedCleanly(past)) return
      adoptPersonEdit(build)
      list.write()
    },
    async onLeave() {
      const { unapplied, flight } = run().state
      for (const { task } of [...Object.values(unapplied), ...Object.values(flight)])
        applyListEdits(build, task, record)
    },
    onEvent(event) {
      log(event)
      // No agent works on the last edits of people any more, but the list must contain them.
      if (event.type === 'finished') list.write()
    },
    stoppedAsPlanned: () => build.stopsAfterPlan && isPlanned(context),
  }
}

function buildRun(context: Context<BuildSpec>): BuildRun {
  const notes = openNotes(buildNotes, context)
  return {
    context,
    list: syncListFile(context),
    notes,
    planner: openPlanner(context, notes),
    // A bug is fixed where the work is.
    worktrees: taskWorktrees(context, task =>
      task.id === PLAN ? null : (parentTask(context, task) ?? task),
    ),
    stopsAfterPlan: context.spec.planOnly && !(context.past.length > 0 && isPlanned(context)),
  }
}

/** Opens progress.txt. People read it on a terminal, and much of the text comes from agents. */
function openLog({ spec, session, journal, record, past }: Context<BuildSpec>): (event: RunEvent) => void {
  const notes = () => {
    const note = progressNotes(spec.goal.text)
    return (event: RunEvent) => plain(note(event))
  }
  const warn = (note: string) => record({ type: 'warned', at: Date.now(), note })
  return openProgressLog(
    { path: join(session.dir, 'progress.txt'), root: session.root, journal, notes, warn },
    past,
  )
}

const isPlanned = ({ table, run }: Context): boolean =>
  run().tasks.every(task => task.id !== PLAN || taskStateOf(table, run().state, task).stage === 'done')

const parentTask = ({ run }: Context, task: Task): Task | null =>
  (task.parent && run().tasks.find(other => other.id === task.parent)) || null

const correctionsOf = ({ notes }: BuildRun) => notes.get('corrections') ?? []

function initialTasks({ spec, table, run }: Context<BuildSpec>, at: number) {
  if (!spec.list) {
    const first = spec.refine === 'off' ? 'decompose' : 'refine'
    return { tasks: [{ id: PLAN, title: 'Plan the work', blockedBy: [], first }], edits: [] }
  }
  const tasks = plannedTasks(spec.list)
  const done = new Set(spec.list.items.filter(item => item.status === 'completed').map(item => item.id))
  const states = tasks
    .filter(task => done.has(task.id))
    .map(task => [task.id, doneByPerson(taskStateOf(table, run().state, task))] as const)
  const edit: RunEvent = { type: 'edited', at, by: 'person', state: Object.fromEntries(states) }
  return { tasks, edits: states.length > 0 ? [edit] : [] }
}

function buildPrompt(build: BuildRun, work: Work): string {
  const { context, list, planner, stopsAfterPlan } = build
  if (stopsAfterPlan && work.task.id !== PLAN) {
    list.write()
    throw new CannotGoOn('the plan is made')
  }
  if (work.stage === RESOLVE) return resolvePrompt(context, work, detailOf(work.task).description ?? '')
  return isPlanning(work.stage) ? planningPrompt(planner, work) : promptOf(build, work)
}

function promptOf(build: BuildRun, work: Work): string {
  const { spec, session, run } = build.context
  const { task, step } = work
  const goal = goalOf(build.planner)
  const text = taskPrompt(work, {
    session: session.shown(session.dir),
    goal:
      spec.goal.type !== 'goal' && goal === spec.goal.text && isThere(spec, spec.goal, step.workspace)
        ? { file: spec.goal.path }
        : { text: goal },
    parent: parentTask(build.context, task),
    checks: checkNames(spec.settings),
    count: spec.settings.includeIterationCountInPrompt
      ? countLine(step.n, run().state.limits.iterations)
      : null,
  })
  const corrections = correctionsOf(build)
  if (corrections.length === 0) return text
  return `${text}\n\nThe last agent changed the list:\n${bullets(corrections.map(one => one.text))}`
}

/** Whether the file is in a workspace as it was given. A worktree has no file that is not committed. */
const isThere = (
  { project }: BuildSpec,
  { path, text }: { path: string; text: string },
  workspace: string | undefined,
): boolean =>
  workspace === undefined || textAt(resolve(project, workspace, path), { limit: LIMITS.text }) === text

function adoptPersonEdit({ context: { record }, list }: BuildRun): void {
  const { edit, refused } = list.byPerson(Date.now())
  for (const note of refused) record({ type: 'warned', at: Date.now(), note })
  if (edit) record(edit)
}

/** Accepts or refuses what the agent of a task changed in the list, then writes the list again. */
function applyListEdits(build: BuildRun, task: TaskId, record: Recorder): void {
  const { context, list, notes } = build
  const { limits, run } = context
  const { edit, refused } = list.byAgent(task, limits.additions - run().state.added, Date.now())
  if (edit) record(edit)
  if (refused.length > 0)
    notes.set('corrections', withCorrections(correctionsOf(build), refused, run().state.steps))
  for (const note of refused) record({ type: 'warned', at: Date.now(), note })
  list.write()
}

/** If the agent says that it failed, it failed, whatever the other checks say. */
function failureCheck(step: Work['step'] | undefined): Check[] {
  const note = step?.ended ? readFailed(step.ended.result.text) : null
  if (note === null) return []
  const finding: Finding = { check: 'the agent', verdict: 'fail', note, claim: true }
  return [{ name: 'the agent', run: async () => ({ finding, exit: null }) }]
}

const bullets = (lines: readonly string[]) => lines.map(line => `- ${line}`).join('\n')
