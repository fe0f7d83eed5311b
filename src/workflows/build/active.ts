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
import { unheardBy, withCorrections } from '../shared/corrections.ts'
import { doneByPerson } from '../shared/list-edit.ts'
import { RESOLVE } from '../shared/merging.ts'
import { openNotes } from '../shared/notes.ts'
import { ownFolders } from '../shared/own-folders.ts'
import { countLine } from '../shared/prompt-parts.ts'
import { resolvePrompt } from '../shared/resolve.ts'
import { checkNames } from '../spec.ts'
import type { Active, Context, Recorder } from '../workflow.ts'
import { syncListFile } from './list-file-sync.ts'
import { buildNotes } from './notes.ts'
import { createPlanner } from './planning.ts'
import { PLAN } from './rules/check-list.ts'
import { detailOf, isPlanning, plannedTasks } from './rules/planned.ts'
import { progressNotes } from './rules/progress.ts'
import { taskPrompt } from './rules/prompt.ts'
import { todoEdit } from './rules/todo-request.ts'
import type { BuildSpec } from './spec.ts'

/** The build of one run. Its list file is written from the run's state; people and agents may edit it. */
export function openBuild(context: Context<BuildSpec>): Active {
  const { spec, table, limits, session, past, run, record } = context
  const list = syncListFile(context)
  const path = join(session.dir, 'progress.txt')
  const now = () => Date.now()
  const warn = (text: string) => record({ type: 'warned', at: now(), note: text })
  const notes = () => {
    const note = progressNotes(spec.goal.text)
    // People read it on a terminal, and much of the text comes from agents.
    return (event: RunEvent) => plain(note(event))
  }
  const note = openProgressLog({ path, root: session.root, journal: context.journal, notes, warn }, past)
  const kept = openNotes(buildNotes, context)
  const corrections = () => kept.get('corrections') ?? []
  const planner = createPlanner(context, kept)
  const isPlanned = () => run().tasks.every(task => task.id !== PLAN || isDone(task))
  const isDone = (task: Task) => taskStateOf(table, run().state, task).stage === 'done'
  const wasPlanned = past.length > 0 && isPlanned()
  const stopsAfterPlan = spec.planOnly && !wasPlanned
  const parentOf = (task: Task) =>
    (task.parent && run().tasks.find(other => other.id === task.parent)) || null
  // A bug is fixed where the work is.
  const folders = ownFolders(context, task => (task.id === PLAN ? null : (parentOf(task) ?? task)))
  function promptOf(work: Work): string {
    const { task, step } = work
    const goal = planner.goal()
    const text = taskPrompt(work, {
      session: session.shown(session.dir),
      goal:
        spec.goal.type !== 'goal' && goal === spec.goal.text && isThere(spec.goal, step.workspace)
          ? { file: spec.goal.path }
          : { text: goal },
      parent: parentOf(task),
      checks: checkNames(spec.settings),
      count: spec.settings.includeIterationCountInPrompt
        ? countLine(step.n, run().state.limits.iterations)
        : null,
    })
    if (corrections().length === 0) return text
    return `${text}\n\nThe last agent changed the list:\n${bullets(corrections().map(one => one.text))}`
  }

  /** A worktree has no file that is not committed. */
  const isThere = ({ path, text }: { path: string; text: string }, workspace: string | undefined) =>
    workspace === undefined || textAt(resolve(spec.project, workspace, path), { limit: LIMITS.text }) === text

  function adoptPersonEdit() {
    const { edit, refused: why } = list.byPerson(now())
    for (const text of why) warn(text)
    if (edit) record(edit)
  }

  /** Accepts or refuses what the agent of a task changed in the list, then writes the list again. */
  function applyListEdits(task: TaskId, recordEvent: Recorder): void {
    const { edit, refused: why } = list.byAgent(task, limits.additions - run().state.added, now())
    if (edit) recordEvent(edit)
    if (why.length > 0) kept.set('corrections', withCorrections(corrections(), why, run().state.steps))
    for (const text of why) recordEvent({ type: 'warned', at: now(), note: text })
    list.write()
  }

  return {
    ...folders,
    initialTasks(at) {
      if (spec.list) {
        const planned = plannedTasks(spec.list)
        const done = new Set(spec.list.items.filter(i => i.status === 'completed').map(i => i.id))
        const states = planned
          .filter(task => done.has(task.id))
          .map(task => [task.id, doneByPerson(taskStateOf(table, run().state, task))] as const)
        const edit: RunEvent = { type: 'edited', at, by: 'person', state: Object.fromEntries(states) }
        return { tasks: planned, edits: states.length > 0 ? [edit] : [] }
      }
      const first = spec.refine === 'off' ? 'decompose' : 'refine'
      return { tasks: [{ id: PLAN, title: 'Plan the work', blockedBy: [], first }], edits: [] }
    },

    buildPrompt(work) {
      if (stopsAfterPlan && work.task.id !== PLAN) {
        list.write()
        throw new CannotGoOn('the plan is made')
      }
      if (work.stage === RESOLVE) return resolvePrompt(context, work, detailOf(work.task).description ?? '')
      return isPlanning(work.stage) ? planner.prompt(work) : promptOf(work)
    },

    checks(work, common) {
      const { stage, step } = work
      if (step && isPlanning(stage)) return planner.checks(stage, step)
      return [...failureCheck(step), ...(folders.checks(work, common) ?? common)]
    },

    async claims(work, text) {
      if (isPlanning(work.stage)) return planner.claims(work, text)
      const asks = readBlocked(text)
      return asks === null ? {} : { asks }
    },

    async adoptEdits() {
      if (Object.keys(run().state.unapplied).length > 0) return
      const skipped = planner.skipRefining()
      if (skipped) return record(skipped)
      adoptPersonEdit()
      list.write()
    },

    onRequest: request => todoEdit(run().tasks, run().state, table, request),

    onAgentStart: () => list.show(),

    apply(settled, recordEvent) {
      planner.apply(settled, recordEvent)
      // Its agent came to an end, so it has read the corrections that it was given.
      if (!isUncounted(settled) && corrections().length > 0)
        kept.set('corrections', unheardBy(corrections(), settled.id))
      applyListEdits(settled.task, recordEvent)
    },

    onResume() {
      if (!stoppedCleanly(past)) return
      adoptPersonEdit()
      list.write()
    },

    async onLeave() {
      const { unapplied, flight } = run().state
      for (const { task } of [...Object.values(unapplied), ...Object.values(flight)])
        applyListEdits(task, record)
    },

    onEvent(event) {
      note(event)
      // Nobody works on the last edits of people any more, but the list must contain them.
      if (event.type === 'finished') list.write()
    },
    stoppedAsPlanned: () => stopsAfterPlan && isPlanned(),
  }
}

/** If the agent says that it failed, it failed, whatever the other checks say. */
function failureCheck(step: Work['step'] | undefined): Check[] {
  const note = step?.ended ? readFailed(step.ended.result.text) : null
  if (note === null) return []
  const finding: Finding = { check: 'the agent', verdict: 'fail', note, claim: true }
  return [{ name: 'the agent', run: async () => ({ finding, exit: null }) }]
}

const bullets = (lines: readonly string[]) => lines.map(line => `- ${line}`).join('\n')
