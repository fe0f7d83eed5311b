import { givesPromise, readBlocked, readReject } from '../../core/completion.ts'
import type { RunEvent } from '../../core/events.ts'
import { firstLine } from '../../core/format.ts'
import type { Check, Claims, Work } from '../../core/ports.ts'
import { isCancelled } from '../../core/reopen.ts'
import { taskStateOf } from '../../core/table.ts'
import type { Task } from '../../core/task.ts'
import { isMerging, RESOLVE } from '../shared/merging.ts'
import { ownFolders } from '../shared/own-folders.ts'
import { doubtNotes, instructionsFor } from '../shared/prompt-parts.ts'
import { resolvePrompt } from '../shared/resolve.ts'
import { checkNames } from '../spec.ts'
import type { Active, Context, Recorder } from '../workflow.ts'
import { criteriaFor, externalCriteria, patternsOf } from './criteria.ts'
import { weighRejection } from './rejections.ts'
import { verificationOf } from './rules/history.ts'
import { maySendBack, mayWrite, sendsBackTo } from './rules/order.ts'
import { rolePrompt } from './rules/prompt.ts'
import { afterCoding, afterReject, NO_REVIEWS, type ReviewState } from './rules/reviews.ts'
import { basePrompt, NOT_COUNTED, undoneNote } from './rules/role-prompts.ts'
import type { PipelineSpec } from './spec.ts'
import { taskFiles } from './task-files.ts'

/**
 * What ralph keeps with a task: the tree that its work is compared with, the one that was sent back last, and what
 * reviews found outside of it.
 */
type Kept = { base?: string; rejected?: string; followUps?: string[] }

const keptOf = ({ spec = {} }: Pick<Task, 'spec'>): Kept => spec as Kept

/** The pipeline of one run. What the tasks ask for is fixed when it begins; their files only follow. */
export function openPipeline(context: Context<PipelineSpec>): Active {
  const { spec, table, run, record } = context
  const files = taskFiles(context)
  const names = spec.roles.map(({ name }) => name)
  const backTo = sendsBackTo(names)
  const rejects = (stage: string) => maySendBack(names, stage)
  const taskOf = (id: string) => spec.tasks.find(task => task.id === id)!
  const roleOf = (stage: string) => spec.roles.find(role => role.name === stage)!
  const criteriaOf = ({ task, stage }: Pick<Work, 'task' | 'stage'>) =>
    criteriaFor(taskOf(task.id), roleOf(stage), spec)
  const triesOf = ({ task, stage }: Pick<Work, 'task' | 'stage'>) =>
    task.tries?.[stage] ?? table.stages[stage]!.tries

  const folders = ownFolders(
    context,
    task => task,
    task => externalCriteria(taskOf(task.id), spec),
  )

  const reviews = new Map<string, ReviewState>()
  const reviewsOf = (task: string) => reviews.get(task) ?? NO_REVIEWS
  const texts = new Map<number, string>()
  /** Why the last rejection of a task did not count. */
  const refused = new Map<string, string>()
  const noteReviews = (event: RunEvent) => {
    if (event.type === 'ended') texts.set(event.id, event.result.text)
    if (event.type === 'edited' && event.by === 'ralph')
      for (const [id, change] of Object.entries(event.list?.change ?? {})) {
        const { rejected } = keptOf(change)
        if (rejected !== undefined) reviews.set(id, { ...reviewsOf(id), tree: rejected })
      }
    if (event.type !== 'settled') return
    const before = reviewsOf(event.task)
    if (event.move === 'more' && event.note.startsWith(NOT_COUNTED)) refused.set(event.task, event.note)
    else refused.delete(event.task)
    if (event.stage === backTo) reviews.set(event.task, afterCoding(before, texts.get(event.id) ?? ''))
    else if (event.move === 'reject') reviews.set(event.task, afterReject(before, event.note))
    texts.delete(event.id)
  }
  for (const event of context.past) noteReviews(event)

  const keep = (task: Task, kept: Kept, recordEvent: Recorder) =>
    recordEvent({
      type: 'edited',
      at: Date.now(),
      by: 'ralph',
      list: { change: { [task.id]: { spec: { ...task.spec, ...kept } } } },
    })

  /** The trees that steps of roles began with that must not change anything. */
  const given = new Map<number, string>()

  function promptOf(work: Work): string {
    const { task, stage, step, state } = work
    const mine = taskOf(task.id)
    const { tries, lastRed, interrupted } = taskStateOf(table, state, task)
    const criteria = criteriaOf(work)
    const done = mine.completion_spec
    return rolePrompt({
      base: roleOf(stage).prompt ?? basePrompt(stage),
      role: stage,
      mayReject: rejects(stage),
      last: refused.get(task.id) ?? null,
      task: mine,
      spec: done && { outcome: done.outcome, acceptance: done.acceptance_criteria },
      criteria,
      patterns: patternsOf(criteria.verification),
      iteration: tries + 1,
      tries: triesOf(work),
      checks: checkNames(spec.settings),
      lastRed,
      reviews: reviewsOf(task.id),
      interrupted,
      doubts: doubtNotes(state, step.workspace),
      instructions: instructionsFor(state, task.id),
    })
  }

  /** Without the exact promise only the guardrails run: there is nothing to verify. */
  function verificationFor(work: Pick<Work, 'stage' | 'task'> & { step?: Work['step'] }): Check[] {
    const text = work.step?.ended?.result.text ?? ''
    const { promise, verification } = criteriaOf(work)
    const isBack = rejects(work.stage) && readReject(text) !== null
    if (isBack || readBlocked(text) !== null) return []
    const undone = work.step?.ended?.claimed?.undone ?? []
    if (undone.length > 0) return [undoneCheck(work.stage, undone)]
    if (!givesPromise(text, promise)) return []
    const isLast = spec.roles.at(-1)!.name === work.stage
    const { base: since } = keptOf(work.task)
    return context.verify([
      { name: verificationOf(work.stage), verification, isLast, ...(since && { since }) },
    ])
  }

  async function claimsOf(work: Work, text: string): Promise<Claims> {
    const asks = readBlocked(text)
    if (asks !== null) return { asks }
    if (isMerging(work.stage)) return {}
    const why = rejects(work.stage) ? readReject(text) : null
    if (why === null) return { signal: givesPromise(text, criteriaOf(work).promise) }
    const kept = keptOf(work.task)
    const rejection = await weighRejection(context, work, why, {
      reviews: reviewsOf(work.task.id),
      base: kept.base,
    })
    propose(work.task, rejection.outside)
    if (!rejection.counts) return { note: rejection.note }
    const tree = await context.snapshot(work)
    if (tree !== null && kept.rejected === tree)
      return { asks: `the ${work.stage} sends the same work back again: ${firstLine(rejection.note)}` }
    return { verdict: 'reject', note: rejection.note }
  }

  /** What a review found outside of its task is kept for the receipt. */
  function propose(task: Task, found: readonly string[]): void {
    const known = keptOf(task).followUps ?? []
    const fresh = found.filter(text => !known.includes(text))
    if (fresh.length > 0) keep(task, { followUps: [...known, ...fresh] }, record)
  }

  return {
    initialTasks: () => ({ tasks: spec.tasks.map(task => runTask(task, spec)), edits: [] }),
    adoptEdits: async () => {},
    ...folders,
    async buildPrompt(work) {
      const isReader = !isMerging(work.stage) && !mayWrite(roleOf(work.stage))
      const isFirst = keptOf(work.task).base === undefined
      const tree = isReader || isFirst ? await context.snapshot(work) : null
      if (isFirst && tree !== null) keep(work.task, { base: tree }, record)
      if (isReader && tree !== null) given.set(work.step.id, tree)
      files.begin(work.task.id)
      return work.stage === RESOLVE
        ? resolvePrompt(context, work, taskOf(work.task.id).description)
        : promptOf(work)
    },
    checks: (work, common) =>
      folders.checks(work, common) ?? (work.step ? [...common, ...verificationFor(work)] : common),
    async claimsAtExit(work) {
      const tree = given.get(work.step.id)
      given.delete(work.step.id)
      const undone = tree === undefined ? [] : await context.putBack(work, tree)
      if (undone.length === 0) return {}
      const shown = undone.slice(0, MOST_NAMED)
      const note = `${work.task.id}: the ${work.stage} changed files, which it must not; they were put back: ${shown.join(', ')}${undone.length > shown.length ? ', …' : ''}`
      record({ type: 'warned', at: Date.now(), note })
      return { undone: shown }
    },
    claims: claimsOf,
    async apply(settled, recordEvent) {
      if (settled.move === 'reject') {
        const task = run().tasks.find(({ id }) => id === settled.task)!
        const rejected = await context.snapshot({ step: { ...settled, agent: null, n: 0 } })
        if (rejected !== null) keep(task, { rejected }, recordEvent)
      }
      files.settled(settled)
    },
    onResume() {
      for (const [id, state] of Object.entries(run().state.taskStates))
        if (isCancelled(state)) files.cancelled(id)
    },
    onEvent(event) {
      noteReviews(event)
      if (event.type === 'edited' && event.by === 'person')
        for (const [id, state] of Object.entries(event.state ?? {}))
          if (isCancelled(state)) files.cancelled(id)
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

/** Files of one sentence. */
const MOST_NAMED = 10

/** A role that only looks has changed something: it has to judge what is there. */
const undoneCheck = (role: string, paths: readonly string[]): Check => ({
  name: 'changes',
  run: async () => ({
    finding: {
      check: 'changes',
      verdict: 'unsure',
      note: undoneNote(role, paths),
      action: 'APPEND',
      claim: true,
    },
    exit: null,
  }),
})

/** A task as the engine sees it. What is already completed is no blocker. */
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
