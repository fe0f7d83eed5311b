import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { PLAN } from '../../core/build/check-list.ts'
import { decomposePrompt, repairPrompt } from '../../core/build/decompose.ts'
import { type Planned, plannedTasks } from '../../core/build/planned.ts'
import { progressNotes } from '../../core/build/progress.ts'
import { taskPrompt } from '../../core/build/prompt.ts'
import { readRefined, refinePrompt } from '../../core/build/refine.ts'
import { readBlocked, readFailed } from '../../core/completion.ts'
import type { Finding, RunEvent } from '../../core/events.ts'
import { doneByPerson } from '../../core/list-edit.ts'
import { CannotGoOn, type Check, type Work } from '../../core/ports.ts'
import type { Task } from '../../core/task.ts'
import { type Limits, type StepId, standing, type Workflow } from '../../core/workflow.ts'
import { countLine } from '../../core/workflows/prompt.ts'
import { openProgressLog } from '../../store/progress-log.ts'
import type { Session } from '../../store/session.ts'
import { NoAnswer } from '../asker.ts'
import { type BuildPlan, commandGuardrails } from '../plan.ts'
import { keepList } from './list-keeper.ts'
import type { Person } from './person.ts'
import { PLAN_CHECK, planCheck } from './plan-check.ts'
import type { Standing, Trade } from './trade.ts'

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

const UNREFINED = 'the goal could not be refined: no answer held one; it is planned as it is'

/** `ralph build`: a goal becomes a list, and the list is worked off. */
export function buildTrade(kit: BuildKit): Trade {
  const { plan, workflow, limits, session, past, person, run, tell } = kit
  const { project } = plan
  const list = keepList({ project, dir: session.dir }, workflow, past, run)
  const path = join(session.dir, 'progress.txt')
  const note = openProgressLog(
    { path, project, journal: kit.journal, notes: () => progressNotes(plan.goal.text) },
    past,
  )
  const plans = new Map<StepId, Planned>()
  const isPlanned = () => run().tasks.every(task => task.id !== PLAN || isDone(task))
  const isDone = (task: Task) => standing(workflow, run().state, task).stage === 'done'
  /** What the last agent wrote into the list and may not; the next one is told. */
  let refused: string[] = []
  const wasPlanned = past.length > 0 && isPlanned()
  const mayStop = plan.planOnly && !wasPlanned

  const now = () => Date.now()
  const warn = (text: string) => tell({ type: 'warned', at: now(), note: text })
  /** The text that the plan is made from: what was typed or read, until it was refined. */
  const goalOf = (): string => {
    const chosen = run().tasks.find(task => task.id === PLAN)?.spec?.goal
    return typeof chosen === 'string' ? chosen : plan.goal.text
  }

  async function ask<T>(id: StepId, what: string, question: () => Promise<T>): Promise<T> {
    tell({ type: 'asking', at: now(), id, what })
    try {
      return await question()
    } catch (error) {
      if (!(error instanceof NoAnswer)) throw error
      kit.interrupt()
      throw new CannotGoOn('interrupted')
    }
  }

  function promptOf(work: Work): string {
    const { stage, task, state, step } = work
    const goal = goalOf()
    if (stage === 'refine') return refinePrompt(plan.goal.text)
    if (stage === 'decompose') {
      const failed = state.at[task.id]?.carry.find(finding => finding.check === PLAN_CHECK)
      return failed ? repairPrompt(goal, failedPlan(failed), state.told) : decomposePrompt(goal, state.told)
    }
    const text = taskPrompt(work, {
      session: session.shown(session.dir),
      goal: plan.goal.type !== 'goal' && goal === plan.goal.text ? { file: plan.goal.path } : { text: goal },
      parent: run().tasks.find(other => other.id === task.parent) ?? null,
      checks: commandGuardrails(plan.settings).map(({ command }) => command),
      count: plan.settings.includeIterationCountInPrompt ? countLine(step.n, limits.iterations) : null,
    })
    return refused.length === 0 ? text : `${text}\n\nThe last agent changed the list:\n${bullets(refused)}`
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
      if (mayStop && work.task.id !== PLAN) throw new CannotGoOn('the plan is made')
      return promptOf(work)
    },

    checks({ stage, step }, common) {
      if (stage === 'refine' && step) return []
      if (stage !== 'decompose' || !step) return [...wordOf(step), ...common]
      return [
        planCheck({
          answer: step.ended?.result.text ?? '',
          save(answer) {
            const path = join(session.folderOf(step.n), 'answer.txt')
            writeFileSync(path, answer)
            return session.shown(path)
          },
          judge:
            plan.asks && person ? planned => ask(step.id, 'the plan', () => person.judgePlan(planned)) : null,
          accept: planned => plans.set(step.id, planned),
          again() {
            const stands = standing(workflow, run().state, run().tasks.find(task => task.id === PLAN)!)
            // Settling it spends a try, which must not be one of the next answer's.
            tell({ type: 'edited', at: now(), by: 'person', state: { [PLAN]: { ...stands, tries: -1 } } })
          },
        }),
      ]
    },

    async claims({ stage, step }, text) {
      if (stage === 'refine') {
        const refined = readRefined(text)
        if (refined === undefined) return {}
        const original = plan.goal.text
        const chosen =
          plan.refine === 'auto'
            ? refined
            : person
              ? await ask(step.id, 'the refined prompt', () => person.chooseGoal(original, refined))
              : original
        session.call({
          at: new Date(now()).toISOString(),
          step: step.id,
          original: plan.goal.text,
          refined,
          chosen,
        })
        return { signal: true, note: chosen }
      }
      if (stage === 'decompose') {
        const planned = plans.get(step.id)
        plans.delete(step.id)
        return planned ? { yields: plannedTasks(planned) } : {}
      }
      const question = readBlocked(text)
      return question === null ? {} : { asks: question }
    },

    async edits() {
      if (Object.keys(run().state.unapplied).length > 0) return []
      list.restore()
      const { edit, refused: why } = list.byPerson(now())
      for (const text of why) warn(text)
      return edit ? [edit] : []
    },

    begun() {
      refused = []
      list.write()
    },

    project(settled, record) {
      if (settled.stage === 'refine' && settled.move === 'spent')
        record({ type: 'warned', at: now(), note: UNREFINED })
      if (settled.stage === 'refine' && settled.move === 'pass')
        record({
          type: 'edited',
          at: now(),
          by: 'ralph',
          list: { change: { [PLAN]: { first: 'decompose', spec: { goal: settled.note } } } },
        })
      const { edit, refused: why } = list.byAgent(settled.task, limits.additions - run().state.added, now())
      if (edit) record(edit)
      refused = why
      for (const text of why) record({ type: 'warned', at: now(), note: text })
      list.write()
    },

    hear(event) {
      note(event)
      // What people changed last is nobody's work any more, but the list is to have it.
      if (event.type === 'finished') list.write()
    },
    isThere: () => mayStop && isPlanned(),
  }

  function failedPlan({ note: errors, log }: Finding): { answer: string; errors: string[] } {
    return { answer: log ? readText(join(plan.project, log)) : '', errors: errors.split('\n') }
  }
}

/** An agent that says it failed has failed, whatever the checks say. */
function wordOf(step: Work['step'] | undefined): Check[] {
  const why = step?.ended && readFailed(step.ended.result.text)
  if (!why) return []
  const finding: Finding = { check: 'the agent', verdict: 'fail', note: why, claim: true }
  return [{ name: 'the agent', run: async () => ({ finding, exit: null }) }]
}

const bullets = (lines: readonly string[]) => lines.map(line => `- ${line}`).join('\n')

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
