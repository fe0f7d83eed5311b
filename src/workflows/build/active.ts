import { join } from 'node:path'
import { readBlocked, readFailed } from '../../core/completion.ts'
import type { Finding, RunEvent } from '../../core/events.ts'
import { CannotGoOn, type Check, type Work } from '../../core/ports.ts'
import { stoppedCleanly } from '../../core/stopped-cleanly.ts'
import { taskStateOf } from '../../core/table.ts'
import type { Task, TaskId } from '../../core/task.ts'
import { openProgressLog } from '../../store/progress-log.ts'
import { plain } from '../../view/plain.ts'
import { doneByPerson } from '../shared/list-edit.ts'
import { countLine } from '../shared/prompt-parts.ts'
import { commandGuardrails } from '../spec.ts'
import type { Active, Context, Recorder } from '../workflow.ts'
import { keepList } from './list-file-sync.ts'
import { isPlanning, planning } from './planning.ts'
import { PLAN } from './rules/check-list.ts'
import { plannedTasks } from './rules/planned.ts'
import { progressNotes } from './rules/progress.ts'
import { taskPrompt } from './rules/prompt.ts'
import { todoEdit } from './rules/todo-request.ts'
import type { BuildSpec } from './spec.ts'

/** A build at work: its list file is a projection of the truth, in which people and agents may write. */
export function openBuild(context: Context<BuildSpec>): Active {
  const { spec, table, limits, session, past, run, record } = context
  const { project } = spec
  const list = keepList({ project, dir: session.dir }, table, past, run)
  const path = join(session.dir, 'progress.txt')
  const now = () => Date.now()
  const warn = (text: string) => record({ type: 'warned', at: now(), note: text })
  const notes = () => {
    const note = progressNotes(spec.goal.text)
    // People read it on a terminal, and much of it is an agent's.
    return (event: RunEvent) => plain(note(event))
  }
  const note = openProgressLog({ path, project, journal: context.journal, notes, warn }, past)
  const plans = planning(context)
  const isPlanned = () => run().tasks.every(task => task.id !== PLAN || isDone(task))
  const isDone = (task: Task) => taskStateOf(table, run().state, task).stage === 'done'
  /** What the last agent wrote into the list and may not; the next one is told. */
  let refused: string[] = []
  const wasPlanned = past.length > 0 && isPlanned()
  const mayStop = spec.planOnly && !wasPlanned
  function promptOf(work: Work): string {
    const { task, step } = work
    const goal = plans.goal()
    const text = taskPrompt(work, {
      session: session.shown(session.dir),
      goal: spec.goal.type !== 'goal' && goal === spec.goal.text ? { file: spec.goal.path } : { text: goal },
      parent: (task.parent && run().tasks.find(other => other.id === task.parent)) || null,
      checks: commandGuardrails(spec.settings).map(({ command }) => command),
      count: spec.settings.includeIterationCountInPrompt ? countLine(step.n, limits.iterations) : null,
    })
    return refused.length === 0 ? text : `${text}\n\nThe last agent changed the list:\n${bullets(refused)}`
  }

  function byPerson() {
    const { edit, refused: why } = list.byPerson(now())
    for (const text of why) warn(text)
    return edit
  }

  /** What the agent of a task made of the list counts, or is told; then the list is the truth again. */
  function judge(task: TaskId, into: Recorder): void {
    const { edit, refused: why } = list.byAgent(task, limits.additions - run().state.added, now())
    if (edit) into(edit)
    refused = [...refused, ...why]
    for (const text of why) into({ type: 'warned', at: now(), note: text })
    list.write()
  }

  return {
    initialTasks(at) {
      if (spec.list) {
        const opened = plannedTasks(spec.list)
        const done = new Set(spec.list.items.filter(i => i.status === 'completed').map(i => i.id))
        const states = opened
          .filter(task => done.has(task.id))
          .map(task => [task.id, doneByPerson(taskStateOf(table, run().state, task))] as const)
        const edit: RunEvent = { type: 'edited', at, by: 'person', state: Object.fromEntries(states) }
        return { tasks: opened, edits: states.length > 0 ? [edit] : [] }
      }
      const first = spec.refine === 'off' ? 'decompose' : 'refine'
      return { tasks: [{ id: PLAN, title: 'Plan the work', blockedBy: [], first }], edits: [] }
    },

    buildPrompt(work) {
      if (mayStop && work.task.id !== PLAN) {
        list.write()
        throw new CannotGoOn('the plan is made')
      }
      return isPlanning(work.stage) ? plans.prompt(work) : promptOf(work)
    },

    checks: ({ stage, step }, common) =>
      step && isPlanning(stage) ? plans.checks(stage, step) : [...wordOf(step), ...common],

    async claims(work, text) {
      if (isPlanning(work.stage)) return plans.claims(work, text)
      const question = readBlocked(text)
      return question === null ? {} : { asks: question || 'it did not say what for' }
    },

    async adoptEdits() {
      if (Object.keys(run().state.unapplied).length > 0) return []
      const skipped = plans.skip()
      if (skipped) return [skipped]
      list.restore()
      const edit = byPerson()
      return edit ? [edit] : []
    },

    onRequest: request => todoEdit(run().tasks, run().state, table, request),

    onAgentStart() {
      refused = []
      list.show()
    },

    apply(settled, into) {
      plans.apply(settled, into)
      judge(settled.task, into)
    },

    onResume() {
      if (!stoppedCleanly(past)) return
      const edit = byPerson()
      if (edit) record(edit)
      list.write()
    },

    async onLeave() {
      const { unapplied, flight } = run().state
      for (const { task } of [...Object.values(unapplied), ...Object.values(flight)]) judge(task, record)
    },

    onEvent(event) {
      note(event)
      // What people changed last is nobody's work any more, but the list is to have it.
      if (event.type === 'finished') list.write()
    },
    stoppedAsPlanned: () => mayStop && isPlanned(),
  }
}

/** An agent that says it failed has failed, whatever the checks say. */
function wordOf(step: Work['step'] | undefined): Check[] {
  const why = step?.ended ? readFailed(step.ended.result.text) : null
  if (why === null) return []
  const note = why || 'it gave no reason'
  const finding: Finding = { check: 'the agent', verdict: 'fail', note, claim: true }
  return [{ name: 'the agent', run: async () => ({ finding, exit: null }) }]
}

const bullets = (lines: readonly string[]) => lines.map(line => `- ${line}`).join('\n')
