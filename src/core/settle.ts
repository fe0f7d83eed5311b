import type { Finding, Outcome, RunEvent, Settled } from './events.ts'
import { firstLine, plural } from './format.ts'
import { countIdle, explainIdle } from './outcome.ts'
import {
  AT_CAP,
  COMMIT,
  type Move,
  NOTHING_MORE,
  REVIEW,
  type RunState,
  type Stage,
  type StageTable,
  type Step,
  type TaskState,
  taskStateOf,
} from './table.ts'
import type { Task } from './task.ts'
import { limitedPatch, pastLimits, streakOf, troublePatch } from './trouble/streaks.ts'
import { isEvidence, isOpinion, isUnchanged, onlyUndecided } from './verification/finding.ts'

type Ok = Extract<Outcome, { end: 'ok' }>

/** Turns an outcome into the event to journal: a patch, never the whole state. Pure. */
export function settle(
  table: StageTable,
  state: RunState,
  step: Step,
  task: Task,
  outcome: Outcome,
  now: number,
): RunEvent & Settled {
  const me = { ...taskStateOf(table, state, task) }
  const event: RunEvent & Settled = {
    type: 'settled',
    at: now,
    id: step.id,
    task: task.id,
    stage: step.stage,
    ...(step.workspace !== undefined && { workspace: step.workspace }),
    move: null,
    end: outcome.end,
    note: outcome.note ?? '',
    findings: outcome.end === 'ok' ? outcome.findings : [],
    ...(outcome.end === 'ok' && outcome.tree !== undefined && { tree: outcome.tree }),
    patch: {},
    state: me,
    add: [],
    block: {},
  }
  const stage = table.stages[step.stage]!
  // A person may have decided about the task while the agent worked on it: that decision wins.
  const mine = me.stage === step.stage
  // Unchecked changes undo the proof; an agent that was limited in the middle may have made some.
  const isCutOff = outcome.end === 'limited' || outcome.end === 'unusable'
  if (isCutOff || (outcome.end !== 'ok' && outcome.changed)) me.proof = false
  const n = state.n + (stage.by === 'ralph' ? 0 : 1)
  if (outcome.end === 'limited') {
    event.patch = limitedPatch(state, step, outcome.resetsAt, now)
    return event
  }
  if (outcome.end === 'unusable') {
    event.patch = { unusable: { ...state.unusable, [step.agent ?? '']: outcome.note } }
    return event
  }
  if (outcome.end === 'interrupted') {
    me.interrupted = true
    if (mine && !outcome.byUser && ++me.crashes >= state.limits.crashes)
      block(me, `interrupted ${me.crashes} times in a row`)
    return event
  }
  me.crashes = 0
  me.interrupted = false
  if (outcome.end === 'inactive') {
    event.patch = { n, limitedSince: null, silent: outcome.changed ? 0 : streakOf(state, step).silent + 1 }
    if (mine) event.move = goOn(me, 'more', step, stage, task)
    return event
  }
  if (outcome.end !== 'ok') {
    // Trouble of the agent is not a failure of the task.
    event.patch = troublePatch(state, step, outcome.end, n, now)
    return event
  }
  const { [step.agent ?? '']: _, ...waits } = state.waits
  event.patch = {
    n,
    failures: 0,
    empties: 0,
    silent: outcome.fellSilent && !outcome.changed ? streakOf(state, step).silent + 1 : 0,
    waits,
    limitedSince: null,
    ...pastLimits(state, now),
    ...doubted(state, step, outcome),
  }
  if (!mine) return event
  event.move = advance(table, state, me, step, stage, task, outcome, event)
  if (me.stage === 'blocked' && moveOf(stage, outcome) === 'reject') goOnWhereSent(me, stage)
  if (outcome.yields && event.move === 'pass') event.add.push(...outcome.yields)
  return event
}

/** Moves a task on after an iteration that ended well, and says by which move. */
function advance(
  table: StageTable,
  state: RunState,
  me: TaskState,
  step: Step,
  stage: Stage,
  task: Task,
  outcome: Ok,
  event: Settled,
): Move {
  const red = outcome.findings.filter(f => f.verdict === 'fail')
  const same = red.length > 0 && !outcome.changed
  me.stuck = same ? (sameChecks(red, me.lastRed) ? me.stuck + 1 : 1) : 0
  me.idleGreen = isUnchanged(outcome) ? (me.idleGreen ?? 0) + 1 : 0
  const isUndecided = onlyUndecided(outcome)
  me.undecided = isUndecided ? (me.undecided ?? 0) + 1 : 0
  me.proof = provenBy(outcome, me, stage)

  let move = moveOf(stage, outcome)
  if (move === 'more' && me.idleGreen >= (stage.passesUnchanged ?? Number.POSITIVE_INFINITY)) {
    move = 'pass'
    me.why = NOTHING_MORE
    event.note = NOTHING_MORE
  }
  countIdle(me, outcome, move, stage)
  me.lastRed = carried(outcome, move, me.lastRed)
  if (stage.ends === 'verdict' ? move === 'pass' || move === 'reject' : move === 'reject') me.rounds++
  // Work with a red check is not approved at the cap: it uses up the stage instead.
  if (move === 'reject' && me.rounds >= table.rounds) move = red.length > 0 ? 'spent' : 'capped'
  const isIdle = (me.idle?.times ?? 0) >= state.limits.stuck
  if ((me.stuck >= state.limits.stuck || isIdle) && move !== 'ask') move = 'stuck'

  if (move === 'stuck') block(me, isIdle ? explainIdle(me) : explainStuck(me, red))
  else if (move === 'ask') block(me, outcome.asks ?? 'asks for a person')
  else if (move === 'more' && outcome.findings.some(f => f.anew) && stage.on.more === step.stage) me.tries = 0
  else if (move === 'more' && isUndecided && stage.on.more === step.stage) {
    // Not the agent's fault: it uses up no try. But nothing may continue for ever.
    if (me.undecided >= state.limits.crashes)
      block(me, `no check could decide ${me.undecided} times in a row: ${firstLine(me.lastRed[0]?.note)}`)
  } else if (stage.on[move] === 'bugfix') addBugFix(table, state, me, task, red, event)
  else return goOn(me, move, step, stage, task, table)
  return move
}

/** Follows the table; staying at a stage uses up a try. */
function goOn(me: TaskState, move: Move, step: Step, stage: Stage, task: Task, table?: StageTable): Move {
  if (stage.on[move] === step.stage && ++me.tries >= (task.tries?.[step.stage] ?? stage.tries)) move = 'spent'
  const to = stage.on[move]
  if (to === undefined) throw new Error(`stage ${step.stage} has no move ${move}`)
  if (to === 'blocked') {
    block(me, blockedWhy(move, stage.title ?? step.stage, me))
  } else if (to !== me.stage) {
    me.stage = to
    me.tries = 0
    me.stuck = 0
    delete me.idle
    if (to === 'done' && move === 'capped') {
      me.proof = false
      me.why = AT_CAP
    }
    const visits = table?.stages[to]?.visits
    if (visits !== undefined) {
      me.visits = { ...me.visits, [to]: (me.visits[to] ?? 0) + 1 }
      if (me.visits[to]! > visits)
        block(me, withReason(`came to ${to} more than ${plural(visits, 'time')}`, me))
    }
  }
  return move
}

/** Characters of a failure in the title of its bug-fix task; the prompt has all of it. */
const LONGEST_SUMMARY = 200

function addBugFix(
  table: StageTable,
  state: RunState,
  me: TaskState,
  task: Task,
  red: Finding[],
  event: Settled,
): void {
  if (me.bugs >= table.bugs) {
    block(me, `still red after ${me.bugs} bug fixes: ${names(red)}`)
    return
  }
  me.bugs++
  const summary = firstLine(red[0]?.note).slice(0, LONGEST_SUMMARY) || 'the failing check'
  // The list may still have bug fixes of an earlier build.
  let number = me.bugs
  while (Object.hasOwn(state.taskStates, `${task.id}-bug-${number}`)) number++
  const bug: Task = {
    id: `${task.id}-bug-${number}`,
    title: `Fix: ${summary}`,
    active: `Fixing ${summary}`,
    blockedBy: [],
    ...(table.bugStage !== undefined && { first: table.bugStage }),
    parent: task.id,
  }
  event.add.push(bug)
  event.block = { ...event.block, [task.id]: bug.id }
  me.tries = 0
}

/** Which move an iteration that ended well means at its stage. */
export function moveOf(stage: Stage, outcome: Ok): Move {
  const has = (verdict: Finding['verdict']) => outcome.findings.some(f => f.verdict === verdict)
  if (outcome.asks !== undefined && stage.on.ask) return 'ask'
  if ((stage.ends === 'verdict' || stage.rejects) && outcome.verdict === 'reject') return 'reject'
  if (has('fail')) return isOpinion(outcome) && stage.on.fail ? 'fail' : (stage.failed ?? 'fail')
  if (has('unsure')) return 'more'
  if (stage.ends === 'verdict') return outcome.verdict === 'approve' ? 'pass' : 'more'
  if (stage.ends === 'signal') return outcome.signal ? 'pass' : 'more'
  return 'pass'
}

/** What casts doubt on the tree as it is now. Only new evidence replaces what an earlier iteration found. */
function doubted({ doubts }: RunState, { workspace = '' }: Step, { findings }: Ok): Settled['patch'] {
  const found = findings.filter(f => f.doubts !== undefined)
  const known = (doubts[workspace] ?? []).filter(f => f.check !== COMMIT)
  if (found.length === 0 && (known.length === 0 || !findings.some(isEvidence))) return {}
  // No check can tell that something was committed after all.
  const uncommitted = (doubts[workspace] ?? []).filter(f => f.check === COMMIT)
  return { doubts: { ...doubts, [workspace]: [...found, ...uncommitted] } }
}

/** Green checks prove the tree they ran on; a later change without checks undoes that. */
function provenBy(outcome: Ok, me: TaskState, stage: Stage): boolean {
  const evidence = outcome.findings.filter(isEvidence)
  if (evidence.length > 0) return evidence.every(f => f.verdict === 'pass')
  return me.proof && (stage.by === 'ralph' || !outcome.changed)
}

/** What is red now, and the reviewer's note until the next review: one attempt may not answer all of it. */
function carried(outcome: Ok, move: Move, before: Finding[]): Finding[] {
  const red = outcome.findings.filter(f => f.verdict !== 'pass')
  if (move === 'more' || move === 'fail')
    return [...red, ...before.filter(f => f.check === REVIEW && f.claim)]
  if (move === 'reject' && outcome.verdict === 'reject' && outcome.note)
    return [...red, { check: REVIEW, verdict: 'fail', note: outcome.note, claim: true }]
  return red
}

const blockedWhy = (move: Move, doing: string, me: TaskState): string =>
  withReason(
    move === 'capped' ? `sent back ${plural(me.rounds, 'time')}` : `all tries at ${doing} are used`,
    me,
  )

/** What was found last shows what a person has to mend. */
function withReason(what: string, { lastRed }: TaskState): string {
  const reason = firstLine(lastRed[0]?.note)
  return reason ? `${what}: ${reason}` : what
}

/** Work that was sent back and then blocked continues where it was sent to. */
function goOnWhereSent(me: TaskState, { on: { reject } }: Stage): void {
  if (reject !== undefined) me.blockedAt = reject
}

function block(me: TaskState, why: string): void {
  me.blockedAt = me.stage
  me.stage = 'blocked'
  me.why = why
}

const explainStuck = ({ stuck }: TaskState, red: Finding[]): string =>
  `stuck: ${stuck} iterations changed nothing and ${names(red)} stayed red`

const names = (findings: Finding[]) => findings.map(f => f.check).join(', ')
const sameChecks = (a: Finding[], b: Finding[]) => {
  const set = (list: Finding[]) =>
    [...new Set(list.filter(f => f.verdict === 'fail' && !f.claim).map(f => f.check))].sort().join('\n')
  return set(a) === set(b)
}
