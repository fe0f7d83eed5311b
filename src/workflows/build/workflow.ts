import { join } from 'node:path'
import { readBlocked, readFailed } from '../../core/completion.ts'
import type { Finding, RunEvent } from '../../core/events.ts'
import { wasLeft } from '../../core/left.ts'
import { CannotGoOn, type Check, type Work } from '../../core/ports.ts'
import { type Limits, standing, type Workflow } from '../../core/table.ts'
import type { Task, TaskId } from '../../core/task.ts'
import { openProgressLog } from '../../store/progress-log.ts'
import type { Session } from '../../store/session.ts'
import { plain } from '../../view/plain.ts'
import { countLine } from '../run/table.ts'
import { doneByPerson } from '../shared/list-edit.ts'
import { type BuildPlan, commandGuardrails } from '../spec.ts'
import type { Standing, Trade } from '../workflow.ts'
import { keepList } from './list-keeper.ts'
import type { Person } from './person.ts'
import { isPlanning, planning } from './planning.ts'
import { PLAN } from './rules/check-list.ts'
import { plannedTasks } from './rules/planned.ts'
import { progressNotes } from './rules/progress.ts'
import { taskPrompt } from './rules/prompt.ts'

export type BuildKit = {
  plan: BuildPlan
  workflow: Workflow
  limits: Limits
  session: Session
  past: readonly RunEvent[]
  /** All events that are on record by now. */
  journal(): readonly RunEvent[]
  /** null: nobody can be asked. */
  person: Person | null
  run(): Standing
  tell(event: RunEvent): void
  /** Whoever was asked went away: as if they had pressed Ctrl+C. */
  interrupt(): void
}

/** `ralph build`: a goal becomes a list, and the list is worked off. */
export function buildTrade(kit: BuildKit): Trade {
  const { plan, workflow, limits, session, past, run, tell } = kit
  const { project } = plan
  const list = keepList({ project, dir: session.dir }, workflow, past, run)
  const path = join(session.dir, 'progress.txt')
  const now = () => Date.now()
  const warn = (text: string) => tell({ type: 'warned', at: now(), note: text })
  const notes = () => {
    const note = progressNotes(plan.goal.text)
    // People read it on a terminal, and much of it is an agent's.
    return (event: RunEvent) => plain(note(event))
  }
  const note = openProgressLog({ path, project, journal: kit.journal, notes, warn }, past)
  const plans = planning(kit)
  const isPlanned = () => run().tasks.every(task => task.id !== PLAN || isDone(task))
  const isDone = (task: Task) => standing(workflow, run().state, task).stage === 'done'
  /** What the last agent wrote into the list and may not; the next one is told. */
  let refused: string[] = []
  const wasPlanned = past.length > 0 && isPlanned()
  const mayStop = plan.planOnly && !wasPlanned
  function promptOf(work: Work): string {
    const { task, step } = work
    const goal = plans.goal()
    const text = taskPrompt(work, {
      session: session.shown(session.dir),
      goal: plan.goal.type !== 'goal' && goal === plan.goal.text ? { file: plan.goal.path } : { text: goal },
      parent: (task.parent && run().tasks.find(other => other.id === task.parent)) || null,
      checks: commandGuardrails(plan.settings).map(({ command }) => command),
      count: plan.settings.includeIterationCountInPrompt ? countLine(step.n, limits.iterations) : null,
    })
    return refused.length === 0 ? text : `${text}\n\nThe last agent changed the list:\n${bullets(refused)}`
  }

  function byPerson() {
    const { edit, refused: why } = list.byPerson(now())
    for (const text of why) warn(text)
    return edit
  }

  /** What the agent of a task made of the list counts, or is told; then the list is the truth again. */
  function judge(task: TaskId, record: (event: RunEvent) => void): void {
    const { edit, refused: why } = list.byAgent(task, limits.additions - run().state.added, now())
    if (edit) record(edit)
    refused = [...refused, ...why]
    for (const text of why) record({ type: 'warned', at: now(), note: text })
    list.write()
  }

  return {
    opening(at) {
      if (plan.list) {
        const opened = plannedTasks(plan.list)
        const done = new Set(plan.list.items.filter(i => i.status === 'completed').map(i => i.id))
        const states = opened
          .filter(task => done.has(task.id))
          .map(task => [task.id, doneByPerson(standing(workflow, run().state, task))] as const)
        const edit: RunEvent = { type: 'edited', at, by: 'person', state: Object.fromEntries(states) }
        return { tasks: opened, edits: states.length > 0 ? [edit] : [] }
      }
      const first = plan.refine === 'off' ? 'decompose' : 'refine'
      return { tasks: [{ id: PLAN, title: 'Plan the work', blockedBy: [], first }], edits: [] }
    },

    prompt(work) {
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

    async edits() {
      if (Object.keys(run().state.unapplied).length > 0) return []
      const skipped = plans.skip()
      if (skipped) return [skipped]
      list.restore()
      const edit = byPerson()
      return edit ? [edit] : []
    },

    begun() {
      refused = []
      list.show()
    },

    project(settled, record) {
      plans.project(settled, record)
      judge(settled.task, record)
    },

    back() {
      if (!wasLeft(past)) return
      const edit = byPerson()
      if (edit) tell(edit)
      list.write()
    },

    async leave() {
      const { unapplied, flight } = run().state
      for (const { task } of [...Object.values(unapplied), ...Object.values(flight)]) judge(task, tell)
    },

    hear(event) {
      note(event)
      // What people changed last is nobody's work any more, but the list is to have it.
      if (event.type === 'finished') list.write()
    },
    isThere: () => mayStop && isPlanned(),
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
