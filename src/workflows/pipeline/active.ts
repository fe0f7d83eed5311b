import { givesPromise, readBlocked, readReject } from '../../core/completion.ts'
import type { RunEvent } from '../../core/events.ts'
import type { Check, Claims, Work } from '../../core/ports.ts'
import { taskStateOf } from '../../core/table.ts'
import type { Task } from '../../core/task.ts'
import { doubtNotes, instructionsFor } from '../shared/prompt-parts.ts'
import { checkNames } from '../spec.ts'
import type { Active, Context, Recorder } from '../workflow.ts'
import { criteriaFor, patternsOf } from './criteria.ts'
import { verificationOf } from './rules/history.ts'
import { rolePrompt } from './rules/prompt.ts'
import { afterCoding, afterReject, NO_REVIEWS, type ReviewState, repeatsDismissed } from './rules/reviews.ts'
import { basePrompt } from './rules/role-prompts.ts'
import type { PipelineSpec } from './spec.ts'
import { taskFiles } from './task-files.ts'

/** What ralph keeps with a task: the tree that its work is compared with, and the one that was sent back last. */
type KeptTrees = { base?: string; rejected?: string }

const treesOf = ({ spec = {} }: Task): KeptTrees => spec as KeptTrees

/** The pipeline of one run. What the tasks ask for is fixed when it begins; their files only follow. */
export function openPipeline(context: Context<PipelineSpec>): Active {
  const { spec, table, run, record } = context
  const files = taskFiles(context)
  const first = table.first
  const taskOf = (id: string) => spec.tasks.find(task => task.id === id)!
  const roleOf = (stage: string) => spec.roles.find(role => role.name === stage)!
  const criteriaOf = ({ task, stage }: Pick<Work, 'task' | 'stage'>) =>
    criteriaFor(taskOf(task.id), roleOf(stage), spec)
  const triesOf = ({ task, stage }: Pick<Work, 'task' | 'stage'>) =>
    task.tries?.[stage] ?? table.stages[stage]!.tries

  const reviews = new Map<string, ReviewState>()
  const reviewsOf = (task: string) => reviews.get(task) ?? NO_REVIEWS
  const texts = new Map<number, string>()
  const noteReviews = (event: RunEvent) => {
    if (event.type === 'ended') texts.set(event.id, event.result.text)
    if (event.type !== 'settled') return
    const before = reviewsOf(event.task)
    if (event.stage === first) reviews.set(event.task, afterCoding(before, texts.get(event.id) ?? ''))
    else if (event.move === 'reject') reviews.set(event.task, afterReject(before, event.note))
    texts.delete(event.id)
  }
  for (const event of context.past) noteReviews(event)

  const keep = (task: Task, trees: KeptTrees, recordEvent: Recorder) =>
    recordEvent({
      type: 'edited',
      at: Date.now(),
      by: 'ralph',
      list: { change: { [task.id]: { spec: { ...task.spec, ...trees } } } },
    })

  function promptOf(work: Work): string {
    const { task, stage, state } = work
    const mine = taskOf(task.id)
    const { tries, carry, interrupted } = taskStateOf(table, state, task)
    const criteria = criteriaOf(work)
    const done = mine.completion_spec
    return rolePrompt({
      base: roleOf(stage).prompt ?? basePrompt(stage),
      role: stage,
      isFirst: stage === first,
      task: mine,
      spec: done && { outcome: done.outcome, acceptance: done.acceptance_criteria },
      criteria,
      patterns: patternsOf(criteria.verification),
      iteration: tries + 1,
      tries: triesOf(work),
      checks: checkNames(spec.settings),
      carry,
      reviews: reviewsOf(task.id),
      interrupted,
      doubts: doubtNotes(state),
      instructions: instructionsFor(state, task.id),
    })
  }

  /** Without the exact promise only the guardrails run: there is nothing to verify. */
  function verificationFor(work: Pick<Work, 'stage' | 'task'> & { step?: Work['step'] }): Check[] {
    const text = work.step?.ended?.result.text ?? ''
    const { promise, verification } = criteriaOf(work)
    const isBack = work.stage !== first && readReject(text) !== null
    if (isBack || readBlocked(text) !== null || !givesPromise(text, promise)) return []
    const isLast = spec.roles.at(-1)!.name === work.stage
    const { base: since } = treesOf(work.task)
    return context.verify([
      { name: verificationOf(work.stage), verification, isLast, ...(since && { since }) },
    ])
  }

  async function claimsOf(work: Work, text: string): Promise<Claims> {
    const question = readBlocked(text)
    if (question !== null) return { asks: question || 'it did not say what for' }
    const why = work.stage === first ? null : readReject(text)
    if (why === null) return { signal: givesPromise(text, criteriaOf(work).promise) }
    if (repeatsDismissed(reviewsOf(work.task.id), why))
      return { note: 'it repeats findings that were answered' }
    const tree = await context.snapshot(work)
    if (tree !== null && treesOf(work.task).rejected === tree)
      return { asks: `the ${work.stage} sends the same work back again: ${why.split('\n', 1)[0]}` }
    return { verdict: 'reject', note: why || 'it gave no reason' }
  }

  return {
    initialTasks: () => ({ tasks: spec.tasks.map(task => runTask(task, spec)), edits: [] }),
    adoptEdits: async () => {},
    async buildPrompt(work, recordEvent) {
      if (treesOf(work.task).base === undefined) {
        const base = await context.snapshot(work)
        if (base !== null) keep(work.task, { base }, recordEvent)
      }
      files.begin(work.task.id)
      return promptOf(work)
    },
    checks: (work, common) => (work.step ? [...common, ...verificationFor(work)] : common),
    claims: claimsOf,
    async apply(settled, recordEvent) {
      if (settled.move === 'reject') {
        const task = run().tasks.find(({ id }) => id === settled.task)!
        const rejected = await context.snapshot({ step: { ...settled, agent: null, n: 0 } })
        if (rejected !== null) keep(task, { rejected }, recordEvent)
      }
      files.settled(settled)
    },
    onEvent(event) {
      noteReviews(event)
      if (event.type === 'finished') files.finished(event.result)
      if (event.type === 'began')
        for (const { id, completion_spec } of spec.tasks)
          if (completion_spec === null)
            record({
              type: 'warned',
              at: event.at,
              note: `${id} has no completion spec: its promises are only matched, and the result is claimed`,
            })
    },
  }
}

/** A task as the engine sees it. What is completed already is no blocker. */
function runTask(
  { id, title, priority, dependencies, completion_spec }: PipelineSpec['tasks'][number],
  { tasks, roles }: PipelineSpec,
): Task {
  const known = new Set(tasks.map(task => task.id))
  const limits = Object.entries(completion_spec?.roles ?? {}).flatMap(([role, { max_iterations }]) => {
    const loops = (roles.find(({ name }) => name === role)?.tries ?? 1) > 1
    return max_iterations === null || !loops ? [] : [[role, max_iterations] as const]
  })
  return {
    id,
    title,
    priority,
    blockedBy: dependencies.filter(dependency => known.has(dependency)),
    ...(limits.length > 0 && { tries: Object.fromEntries(limits) }),
  }
}
