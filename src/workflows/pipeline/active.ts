import { givesPromise, readBlocked, readReject } from '../../core/completion.ts'
import type { Claimed, RunEvent, Settled } from '../../core/events.ts'
import { isUncounted } from '../../core/outcome.ts'
import type { Check, CheckedWork, Claims, Work } from '../../core/ports.ts'
import { isCancelled } from '../../core/reopen.ts'
import { type StepId, taskStateOf } from '../../core/table.ts'
import type { Task, TaskId } from '../../core/task.ts'
import type { Workspace } from '../../core/workspaces.ts'
import { isMerging, RESOLVE } from '../shared/merging.ts'
import { type OpenNotes, openNotes } from '../shared/notes.ts'
import { doubtNotes, instructionsFor } from '../shared/prompt-parts.ts'
import { resolvePrompt } from '../shared/resolve.ts'
import { taskWorktrees } from '../shared/task-worktrees.ts'
import { checkNames } from '../spec.ts'
import type { Active, Context } from '../workflow.ts'
import { criteriaFor, externalCriteria, patternsOf, type RoleCriteria } from './criteria.ts'
import { weighRejection } from './rejections.ts'
import { verificationName } from './rules/history.ts'
import { basePrompt, rolePrompt, undoneNote } from './rules/prompt.ts'
import { afterCoding, afterReject, NO_REVIEWS, type ReviewState } from './rules/reviews.ts'
import { type PipelineRole, type PipelineSpec, pipelineNotes } from './spec.ts'
import { maySendBack, mayWrite, sendsBackTo } from './table.ts'
import { taskFiles } from './task-files.ts'
import type { PipelineTask } from './tasks/task.ts'

/** A pipeline at work. What the tasks ask for is fixed when it begins; their files only follow. */
type PipelineRun = {
  context: Context<PipelineSpec>
  notes: OpenNotes<typeof pipelineNotes>
  files: ReturnType<typeof taskFiles>
  worktrees: ReturnType<typeof taskWorktrees>
  /** The trees that agents began with which must not change anything, by step. */
  given: Map<StepId, string>
  /** What agents said last, by step, until the step is applied. */
  texts: Map<StepId, string>
}

export function openPipeline(context: Context<PipelineSpec>): Active {
  const { spec, run } = context
  const pipeline: PipelineRun = {
    context,
    notes: openNotes(pipelineNotes, context),
    files: taskFiles(context),
    worktrees: taskWorktrees(
      context,
      task => task,
      task => externalCriteria(pinnedOf(pipeline, task.id), spec),
    ),
    given: new Map(),
    texts: new Map(),
  }
  const { files, worktrees } = pipeline
  for (const event of context.past)
    if (event.type === 'ended') pipeline.texts.set(event.id, event.result.text)
    else if (event.type === 'applied') pipeline.texts.delete(event.id)
  return {
    initialTasks: () => ({ tasks: spec.tasks.map(task => runTask(task, spec)), edits: [] }),
    adoptEdits: async () => {},
    ...worktrees,
    buildPrompt: work => buildPrompt(pipeline, work),
    checks: work =>
      worktrees.checks(work) ?? [
        ...work.workspace.checks(),
        ...(work.step ? verificationFor(pipeline, work) : []),
      ],
    claimsAtExit: work => claimsAtExit(pipeline, work),
    claims: (work, text) => claimsOf(pipeline, work, text),
    apply: (settled, _record, workspace) => apply(pipeline, settled, workspace),
    onResume() {
      for (const [id, state] of Object.entries(run().state.taskStates))
        if (isCancelled(state)) files.cancelled(id)
    },
    onEvent: event => follow(pipeline, event),
  }
}

const pinnedOf = ({ context: { spec } }: PipelineRun, id: TaskId): PipelineTask =>
  spec.tasks.find(task => task.id === id)!

const roleOf = ({ context: { spec } }: PipelineRun, stage: string): PipelineRole =>
  spec.roles.find(role => role.name === stage)!

const rolesOf = ({ context: { spec } }: PipelineRun): string[] => spec.roles.map(({ name }) => name)

const rejects = (pipeline: PipelineRun, stage: string): boolean => maySendBack(rolesOf(pipeline), stage)

const criteriaOf = (pipeline: PipelineRun, { task, stage }: Pick<Work, 'task' | 'stage'>): RoleCriteria =>
  criteriaFor(pinnedOf(pipeline, task.id), roleOf(pipeline, stage), pipeline.context.spec)

const reviewsOf = ({ notes }: PipelineRun, task: TaskId): ReviewState =>
  notes.get('reviews', task) ?? NO_REVIEWS

/** The first prompt of a task also notes the tree that its work is compared with. */
async function buildPrompt(pipeline: PipelineRun, work: Work): Promise<string> {
  const { context, notes, files, given } = pipeline
  const { task, stage, step } = work
  const isReader = !isMerging(stage) && !mayWrite(roleOf(pipeline, stage))
  const isFirst = notes.get('base', task.id) === undefined
  const tree = isReader || isFirst ? await work.workspace.snapshot() : null
  if (isFirst && tree !== null) notes.set('base', tree, task.id)
  if (isReader && tree !== null) given.set(step.id, tree)
  files.begin(task.id)
  return stage === RESOLVE
    ? resolvePrompt(context, work, pinnedOf(pipeline, task.id).description)
    : promptOf(pipeline, work)
}

function promptOf(pipeline: PipelineRun, work: Work): string {
  const { spec, table } = pipeline.context
  const { task, stage, step, state } = work
  const mine = pinnedOf(pipeline, task.id)
  const { tries, lastRed, interrupted } = taskStateOf(table, state, task)
  const criteria = criteriaOf(pipeline, work)
  const done = mine.completion_spec
  return rolePrompt({
    base: roleOf(pipeline, stage).prompt ?? basePrompt(stage),
    role: stage,
    mayReject: rejects(pipeline, stage),
    last: pipeline.notes.get('refused', task.id)?.note ?? null,
    task: mine,
    spec: done && { outcome: done.outcome, acceptance: done.acceptance_criteria },
    criteria,
    patterns: patternsOf(criteria.verification),
    iteration: tries + 1,
    tries: task.tries?.[stage] ?? table.stages[stage]!.tries,
    checks: checkNames(spec.settings),
    lastRed,
    reviews: reviewsOf(pipeline, task.id),
    interrupted,
    doubts: doubtNotes(state, step.workspace),
    instructions: instructionsFor(state, task.id),
  })
}

/** Without the exact promise only the guardrails run: there is nothing to verify. */
function verificationFor(pipeline: PipelineRun, work: CheckedWork): Check[] {
  const { notes } = pipeline
  const text = work.step?.ended?.result.text ?? ''
  const { promise, verification } = criteriaOf(pipeline, work)
  const isBack = rejects(pipeline, work.stage) && readReject(text) !== null
  if (isBack || readBlocked(text) !== null) return []
  const undone = work.step?.ended?.claimed?.undone ?? []
  if (undone.length > 0) return [undoneCheck(work.stage, undone)]
  if (!givesPromise(text, promise)) return []
  const isLast = rolesOf(pipeline).at(-1) === work.stage
  const since = notes.get('base', work.task.id)
  return work.workspace.verify([
    { name: verificationName(work.stage), verification, isLast, ...(since && { since }) },
  ])
}

/** Undoes what an agent changed which must not change anything. */
async function claimsAtExit({ context, given }: PipelineRun, work: Work): Promise<Claimed> {
  const tree = given.get(work.step.id)
  given.delete(work.step.id)
  const undone = tree === undefined ? [] : await work.workspace.putBack(tree)
  if (undone.length === 0) return {}
  const shown = undone.slice(0, MOST_NAMED)
  const note = `${work.task.id}: the ${work.stage} changed files, which it must not; they were put back: ${shown.join(', ')}${undone.length > shown.length ? ', …' : ''}`
  context.record({ type: 'warned', at: Date.now(), note })
  return { undone: shown }
}

async function claimsOf(pipeline: PipelineRun, work: Work, text: string): Promise<Claims> {
  const { notes } = pipeline
  const { task, stage, step } = work
  const asks = readBlocked(text)
  if (asks !== null) return { asks }
  if (isMerging(stage)) return {}
  const why = rejects(pipeline, stage) ? readReject(text) : null
  if (why === null) return { signal: givesPromise(text, criteriaOf(pipeline, work).promise) }
  const reviews = reviewsOf(pipeline, task.id)
  const base = notes.get('base', task.id)
  const { note, counts, outside } = await weighRejection(work.workspace, why, { reviews, base })
  const known = notes.get('followUps', task.id) ?? []
  const fresh = outside.filter(one => !known.includes(one))
  if (fresh.length > 0) notes.set('followUps', [...known, ...fresh], task.id)
  if (!counts) {
    notes.set('refused', { step: step.id, note }, task.id)
    return { note }
  }
  const tree = await work.workspace.snapshot()
  if (tree !== null && reviews.tree === tree)
    return { asks: `the ${stage} sends the same work back again: ${firstLine(note)}` }
  return { verdict: 'reject', note }
}

/** Notes what a step did to the reviews of its task. Repeating it changes nothing. */
async function apply(pipeline: PipelineRun, settled: Settled, workspace: Workspace | null): Promise<void> {
  const { notes, files, texts } = pipeline
  const { id, task, stage, move, note } = settled
  const reviews = reviewsOf(pipeline, task)
  if (stage === sendsBackTo(rolesOf(pipeline)))
    notes.set('reviews', afterCoding(reviews, texts.get(id) ?? ''), task)
  else if (move === 'reject' && reviews.step !== id) {
    const tree = (await workspace?.snapshot()) ?? null
    notes.set('reviews', afterReject(reviews, { step: id, text: note, tree }), task)
  }
  texts.delete(id)
  const refused = notes.get('refused', task)
  // An agent that was cut off may not have read it.
  if (refused && !isUncounted(settled) && (refused.step !== id || move !== 'more'))
    notes.set('refused', null, task)
  files.settled(settled)
}

/** Keeps the files of the tasks up to date, and what the agents said. */
function follow({ context, files, texts }: PipelineRun, event: RunEvent): void {
  if (event.type === 'ended') texts.set(event.id, event.result.text)
  if (event.type === 'edited' && event.by === 'person')
    for (const [id, state] of Object.entries(event.state ?? {})) if (isCancelled(state)) files.cancelled(id)
  if (event.type === 'finished') files.finished(event.result)
  if (event.type !== 'began') return
  for (const { id, completion_spec } of context.spec.tasks)
    if (completion_spec === null)
      context.record({
        type: 'warned',
        at: event.at,
        note: `${id} has no completion spec: its promises are only matched, and the result is claimed`,
      })
}

/** Files of one sentence. */
const MOST_NAMED = 10

const firstLine = (text: string): string => text.split('\n', 1)[0]!

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
  { id, title, priority, dependencies, completion_spec }: PipelineTask,
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
