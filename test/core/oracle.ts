import type { Finding, Outcome, Settled } from '../../src/core/events.ts'
import type { Decision } from '../../src/core/next.ts'
import {
  AT_CAP,
  isOpen,
  type Limits,
  NOTHING_MORE,
  REVIEW,
  type RunState,
  type Step,
  type TaskState,
  taskStateOf,
} from '../../src/core/table.ts'
import type { Task, TaskId } from '../../src/core/task.ts'
import type { Setup } from './setup.ts'

type Ok = Extract<Outcome, { end: 'ok' }>

/** What an observer counts along, in their own way, about one task. */
type Record1 = {
  stays: number
  rounds: number
  bugs: number
  crashes: number
  visits: number
  green: boolean
  /** Iterations that ended well since the task came to its stage: which checks were red, or null if files changed. */
  reds: (string | null)[]
  /** Of the same: whether it changed nothing, was refused nothing, and its checks were green. */
  unchanged: boolean[]
  /** Of the same: what it said, if it left the task as it was; otherwise null. */
  said: (string | null)[]
}

const newRecord = (): Record1 => ({
  stays: 0,
  rounds: 0,
  bugs: 0,
  crashes: 0,
  visits: 0,
  green: false,
  reds: [],
  unchanged: [],
  said: [],
})

/**
 * Watches a run from outside and objects when it does what it must never do. It shares no code
 * with what it watches, and is not lost in a crash.
 */
export function oracle({ kind, workflow, limits: first, agentsFor, skip, atCap }: Setup) {
  let limits = first
  const records = new Map<TaskId, Record1>()
  const limitedUntil = new Map<string, number>()
  const unusable = new Set<string>()
  const waits = new Map<string | null, number>()
  const seen = { n: 0, limitedSince: null as number | null }
  /** What went wrong in a row, by task and agent. `well`: the agent did well at another task meanwhile. */
  const streaks: {
    task: TaskId
    agent: string | null
    failures: number
    empties: number
    silent: number
    well: boolean
  }[] = []
  const pauses = new Map<TaskId, number>()
  const streakOf = ({ task, agent }: Step) => {
    const known = streaks.find(s => s.task === task && s.agent === agent)
    if (known) return known
    streaks.push({ task, agent, failures: 0, empties: 0, silent: 0, well: false })
    return streaks.at(-1)!
  }
  const forget = (isGone: (task: TaskId) => boolean) => {
    streaks.splice(0, streaks.length, ...streaks.filter(s => !isGone(s.task)))
    for (const id of [...pauses.keys()].filter(isGone)) pauses.delete(id)
  }
  const hasTrouble = (s: { failures: number; empties: number; silent: number }) =>
    s.failures > 0 || s.empties > 0 || s.silent > 0
  const isTooMuch = ({ failures, silent }: { failures: number; silent: number }) =>
    failures >= limits.failures || silent >= limits.failures
  const isGivenUp = (id: TaskId) => streaks.some(s => s.task === id && isTooMuch(s))
  let treeGreen: boolean | null = false
  let spent = 0

  const recordOf = (id: TaskId) => {
    if (!records.has(id)) records.set(id, newRecord())
    return records.get(id)!
  }
  const stands = (state: RunState, task: Task) => taskStateOf(workflow, state, task)

  function work(
    d: Extract<Decision, { type: 'work' }>,
    state: RunState,
    tasks: readonly Task[],
    now: number,
    worked: number,
  ) {
    const flying = Object.values(state.flight)
    must(state.hold === null, 'nothing begins while the run is paused')
    const taken = workflow.width === 1 ? flying : flying.filter(f => f.agent !== null)
    const isFull = taken.length >= workflow.width
    // What ralph does itself comes on top, except where one thing follows another.
    must(!isFull || (d.agent === null && workflow.width > 1), 'at most width in flight')
    must(!flying.some(f => f.task === d.task.id), 'one step per task')
    must(tasks.includes(d.task) && stands(state, d.task).stage === d.stage, 'works on what is there')
    must(isOpen(stands(state, d.task).stage), 'works on open tasks only')
    const done = new Set(tasks.filter(t => stands(state, t).stage === 'done').map(t => t.id))
    const isReady = (t: Task) => t.blockedBy.every(b => done.has(b))
    must(isReady(d.task), 'never works on a task with an unmet blocker')
    const open = new Set(tasks.filter(t => isOpen(stands(state, t).stage)).map(t => t.id))
    const isFree = (name: string) => {
      const alone = workflow.stages[name]?.alone
      return alone === undefined || flying.every(f => workflow.stages[f.stage]?.alone !== alone)
    }
    must(isFree(d.stage), 'one task at a time where a stage says so')
    must(!isGivenUp(d.task.id), 'stops after failures in a row')
    const working = flying.filter(f => f.agent !== null)
    const promised = working.reduce((sum, { usd = 0 }) => sum + usd, 0)
    const bounds = [
      [limits.iterations === null || seen.n + working.length < limits.iterations, 'keeps to the iterations'],
      [
        streaks.every(s => !isTooMuch(s) || s.well || !open.has(s.task)),
        'stops if an agent fails and does nothing else well',
      ],
      [limits.usd === null || state.spent.usd + promised < limits.usd, 'keeps to the budget'],
      [limits.tokens === null || state.spent.tokens < limits.tokens, 'keeps to the tokens'],
      [limits.ms === null || worked < limits.ms, 'keeps to the time'],
    ] as const
    const isOver = bounds.some(([holds]) => !holds)
    // Ralph's own stages cost nothing.
    if (d.agent !== null) for (const [holds, what] of bounds) must(holds, what)
    const mayEnter = (name: string) =>
      isFree(name) && ((!isOver && !isFull) || workflow.stages[name]?.by === 'ralph')
    const rank = (t: Task) => [workflow.order?.indexOf(stands(state, t).stage) ?? 0, t.priority ?? 0] as const
    const mine = rank(d.task)
    for (const t of tasks) {
      const { stage } = stands(state, t)
      if (t === d.task || !isOpen(stage) || !isReady(t) || !mayEnter(stage)) continue
      if (flying.some(f => f.task === t.id)) continue
      if (isGivenUp(t.id) || (pauses.get(t.id) ?? 0) > now) continue
      const other = rank(t)
      const first = mine[0] - other[0] || mine[1] - other[1] || tasks.indexOf(d.task) - tasks.indexOf(t)
      must(first < 0, 'the most urgent first: by stage, priority, place')
    }
    if (d.agent === null) return must(workflow.stages[d.stage]!.by === 'ralph', 'an agent stage has an agent')
    must(now >= (pauses.get(d.task.id) ?? 0), 'waits after a failure')
    const held = [...pauses].filter(
      ([id, until]) => until > now && open.has(id) && !isGivenUp(id) && !flying.some(f => f.task === id),
    )
    must(taken.length + held.length < workflow.width, 'what waits keeps its place')
    const agents = agentsFor(d.stage)
    const place = agents.indexOf(d.agent)
    must(place >= 0 && !((limitedUntil.get(d.agent) ?? 0) > now), 'a limited agent is left alone')
    must(!unusable.has(d.agent), 'an agent that cannot be used is left out')
    must(
      agents.slice(0, place).every(a => unusable.has(a) || limitedUntil.get(a)! > now),
      'falls back only while an agent is limited or cannot be used',
    )
  }

  function wait(d: Extract<Decision, { type: 'wait' }>, now: number) {
    must(d.until > now, 'waits for something to come')
    if (d.why === 'after a failure')
      must([...pauses.values()].includes(d.until), 'waits for a pause after a failure')
    else must(d.until - (seen.limitedSince ?? now) <= limits.limitWaitMs, 'waits no longer than allowed')
  }

  function finish(
    d: Extract<Decision, { type: 'finish' }>,
    state: RunState,
    tasks: readonly Task[],
    now: number,
  ) {
    must(Object.keys(state.flight).length === 0, 'finishes with nothing in flight')
    const undone = tasks.filter(t => stands(state, t).stage !== 'done')
    const complete = tasks.some(isOfThePlan) && undone.length === 0
    must(
      state.hold === 'stop' ? d.result === 'cancelled' : (d.result === 'complete') === complete,
      'complete means all done',
    )
    must((d.proof !== null) === (d.result === 'complete'), 'a proof is of a complete run')
    if (d.proof === 'verified') {
      must(
        tasks.every(t => recordOf(t.id).green),
        'verified means that the last evidence of each task was green',
      )
      must(workflow.width > 1 || treeGreen !== false, 'verified means green on the tree as it was left')
    }
    if (d.result === 'failures')
      must(
        streaks.some(s => s.failures >= limits.failures),
        'enough failures',
      )
    if (d.result === 'inactive')
      must(
        streaks.some(s => s.silent >= limits.failures),
        'enough silence',
      )
    if (d.result === 'exhausted')
      must(seen.n >= (limits.iterations ?? Number.POSITIVE_INFINITY), 'really exhausted')
    if (d.result === 'limited') must(agentsSomewhere(now), 'really limited')
    if (d.result === 'unusable') must(unusable.size > 0, 'an agent was really turned away')
    if (d.result === 'blocked') explains(d.why, state, tasks, undone)
  }

  const agentsSomewhere = (now: number) => [...limitedUntil.values()].some(until => until > now)

  function explains(why: string, state: RunState, tasks: readonly Task[], undone: Task[]) {
    if (undone.length === 0 && !tasks.some(isOfThePlan))
      return must(why === 'the list is empty', 'an empty list is never complete')
    for (const t of undone.slice(0, 5)) {
      if (tasks.length > 1) must(why.includes(t.id), `names ${t.id}`)
      if (!isOpen(stands(state, t).stage))
        must(why.includes(stands(state, t).why), `says why ${t.id} is blocked`)
      else
        must(
          t.blockedBy.some(b => undone.some(u => u.id === b) || b === 'nowhere') && why.includes('waits for'),
          'what waits for what',
        )
    }
  }

  function settled(
    step: Step,
    o: Outcome,
    before: RunState,
    after: RunState,
    task: Task,
    e: Settled,
    now: number,
  ) {
    const stage = workflow.stages[step.stage]!
    const was = stands(before, task)
    const is = stands(after, task)
    const r = recordOf(task.id)
    const mine = was.stage === step.stage
    const isRetried = o.end === 'empty' && streakOf(step).empties < limits.empties
    const free = o.end === 'limited' || o.end === 'unusable' || o.end === 'interrupted' || isRetried
    seen.n += free || stage.by === 'ralph' ? 0 : 1
    must(
      after.n === seen.n,
      'an iteration that was turned away, interrupted or is tried again costs none, any other one',
    )
    for (const [id, standsNow] of Object.entries(before.taskStates))
      if (standsNow.stage === 'done') must(after.taskStates[id]!.stage === 'done', 'done stays done')
    must(o.end === 'ok' || e.add.length === 0, 'trouble of an agent makes no task')
    evidence(r, o, mine, stage.by === 'ralph')
    count(o, after, step, now)
    if (o.end === 'interrupted') {
      if (mine && !o.byUser) r.crashes++
      must(
        (is.stage !== was.stage) === (mine && !o.byUser && r.crashes >= limits.crashes),
        'crashes in a row block',
      )
      must(is.interrupted, 'the next prompt hears of it')
    } else if (!free || isRetried) r.crashes = 0
    if (free ? o.end !== 'interrupted' : o.end === 'error' || o.end === 'timeout' || o.end === 'empty')
      must(
        is.stage === was.stage && is.tries === was.tries && is.bugs === was.bugs,
        'agent trouble moves nothing',
      )
    if (mine && (o.end === 'ok' || o.end === 'inactive')) moved(r, o, was, is, step, task, e)
    if (!mine) must(is.stage === was.stage, "a person's decision stands")
    must(!is.proof || r.green, 'proof is green evidence on an unchanged tree')
    bounded(is, r)
  }

  /** Every outcome that may have changed files leaves doubt until checks were green again. */
  function evidence(r: Record1, o: Outcome, mine: boolean, byRalph: boolean) {
    const checks = o.end === 'ok' ? o.findings.filter(f => !f.claim) : []
    const green = checks.every(f => f.verdict === 'pass')
    if (checks.length > 0) {
      treeGreen = green
      if (mine) r.green = green
    } else if (o.end === 'limited' || o.end === 'unusable' || (o.changed && !byRalph)) {
      treeGreen = false
      r.green = false
    }
  }

  function count(o: Outcome, after: RunState, step: Step, now: number) {
    if (o.end === 'ok') {
      forget(id => id === step.task)
      for (const s of streaks) s.well ||= hasTrouble(s) && s.agent === step.agent
      waits.delete(step.agent)
    }
    if (!['limited', 'unusable', 'interrupted'].includes(o.end)) seen.limitedSince = null
    const streak = o.end === 'ok' ? null : streakOf(step)
    if (streak) {
      if (o.end === 'empty') streak.empties++
      if (o.end === 'inactive') streak.silent = o.changed ? 0 : streak.silent + 1
      if (o.end === 'error' || o.end === 'timeout') streak.empties = 0
      if (
        o.end === 'error' ||
        o.end === 'timeout' ||
        (o.end === 'empty' && streak.empties > limits.empties)
      ) {
        streak.failures++
        pauses.set(step.task, now + Math.min(2 ** (streak.failures - 1), 300) * 1000)
      }
      streak.well &&= hasTrouble(streak)
    }
    if (o.end === 'unusable') unusable.add(step.agent!)
    if (o.end === 'limited') {
      const inARow = (waits.get(step.agent) ?? 0) + 1
      waits.set(step.agent, inARow)
      seen.limitedSince ??= now
      const pause = Math.min(2 ** (inARow - 1), 15) * 60_000
      limitedUntil.set(step.agent!, o.resetsAt !== undefined && o.resetsAt > now ? o.resetsAt : now + pause)
    }
    const counted = after.streaks[step.task]?.[step.agent ?? '']
    must((counted?.failures ?? 0) === (streak?.failures ?? 0), 'failures in a row are counted')
    must((counted?.silent ?? 0) === (streak?.silent ?? 0), 'silent iterations in a row are counted')
  }

  function moved(r: Record1, o: Outcome, was: TaskState, is: TaskState, step: Step, task: Task, e: Settled) {
    const stage = workflow.stages[step.stage]!
    const targets = ['blocked', step.stage, ...Object.values(stage.on)]
    must(targets.includes(is.stage), 'moves as the table says')
    if (o.end !== 'ok') must(is.stage !== 'done', 'silence finishes nothing')
    else judged(r, o, was, is, step, task, e)
    const said = was.lastRed.filter(f => f.check === REVIEW)
    if (is.stage === step.stage && o.end === 'ok')
      must(
        said.every(f => is.lastRed.some(c => c.note === f.note)),
        'what a reviewer said is kept until it is answered',
      )
    if (is.stage === step.stage) {
      r.stays = e.add.length > 0 ? 0 : r.stays + 1
      must(r.stays < (task.tries?.[step.stage] ?? stage.tries), 'tries are bounded')
    } else {
      r.stays = 0
      r.reds = []
      r.said = []
      if (is.stage === 'resolve') must(++r.visits <= workflow.stages.resolve!.visits!, 'visits are bounded')
    }
  }

  function judged(r: Record1, o: Ok, was: TaskState, is: TaskState, step: Step, task: Task, e: Settled) {
    const stage = workflow.stages[step.stage]!
    const red = o.findings.filter(f => f.verdict === 'fail')
    const clean = o.findings.every(f => f.verdict === 'pass')
    const judging = stage.ends === 'verdict'
    const asks = o.asks !== undefined && stage.on.ask !== undefined
    const sendsBack = stage.failed === 'reject' && red.length > 0
    const rejects = !asks && (judging || stage.rejects === true) && (o.verdict === 'reject' || sendsBack)
    if (rejects || (judging && clean && o.verdict === 'approve')) r.rounds++
    must(is.rounds === r.rounds, 'every verdict counts, and nothing else')

    r.reds.push(red.length > 0 && !o.changed ? names(red) : null)
    const last = r.reds.slice(-limits.stuck)
    const stuck = last.length === limits.stuck && last[0] !== null && last.every(x => x === last[0])
    if (is.stage === 'blocked' && is.why.startsWith('stuck')) must(stuck, 'only what is stuck is called so')
    const leaves = clean && !rejects && !asks && !o.changed && !wanted(stage.ends, o)
    r.said.push((leaves && o.said) || null)
    const said = r.said.slice(-limits.stuck)
    const idle = said.length === limits.stuck && said[0] !== null && said.every(x => x === said[0])
    if (is.stage === 'blocked' && is.why.startsWith('idle')) must(idle, 'only what is idle is called so')
    if (idle && is.why !== NOTHING_MORE)
      must(is.stage === 'blocked' && is.why.startsWith('idle'), 'a task whose agent silent is blocked')
    if (asks) must(is.stage === 'blocked' && is.why === (o.asks || is.why), 'a question waits for a person')
    else if (stuck)
      must(is.stage === 'blocked' && is.why.startsWith('stuck'), 'a task that is stuck is blocked')
    else if (rejects) {
      const capped = r.rounds >= workflow.rounds
      const to = !capped ? stage.on.reject : red.length > 0 ? 'blocked' : stage.on.capped
      must(is.stage === to, 'sent back, at most so many times, and never through with a red check')
      if (o.note && o.verdict === 'reject')
        must(
          is.lastRed.some(f => f.note === o.note),
          "the reviewer's note is carried",
        )
    }
    if (is.stage === 'done' && kind === 'stories' && !skip)
      must(step.stage === 'review', 'only a review finishes a story')
    r.unchanged.push(clean && !o.changed && !o.denials && o.findings.some(f => !f.claim))
    const enough = stage.passesUnchanged ?? Number.POSITIVE_INFINITY
    const latest = r.unchanged.slice(-enough)
    const isNothingMore = latest.length === enough && latest.every(Boolean)
    if (isNothingMore) must(is.stage === 'done', 'an agent that finds nothing more to do is done')
    if (is.why === NOTHING_MORE) must(isNothingMore, 'only such an agent is')
    else if (is.stage === 'done' && !(clean && wanted(stage.ends, o))) {
      must(rejects && red.length === 0 && atCap === 'approve', 'nothing is done that was not passed')
      must(!is.proof && is.why === AT_CAP, 'what passed only by the cap proves nothing')
    }
    const bug = e.add.find(t => t.parent === task.id)
    if (bug) {
      must(
        red.length > 0 && stage.on.fail === 'bugfix' && ++r.bugs <= workflow.bugs,
        'bug fixes are for red checks, and bounded',
      )
      must(is.stage === was.stage && bug.title === `Fix: ${red[0]!.note}`, 'the task waits for its bug fix')
    } else if (e.add.length > 0) must(e.move === 'pass', 'only a finished plan yields tasks')
  }

  function bounded(is: TaskState, r: Record1) {
    must(is.bugs <= workflow.bugs, 'bugs are bounded')
    must(is.crashes <= limits.crashes, 'crashes are bounded')
    must(is.rounds <= workflow.rounds + 1, 'rounds are bounded')
    must(is.stuck <= limits.stuck, 'standing still is bounded')
    must((is.idle?.times ?? 0) <= limits.stuck, 'idling is bounded')
    must(is.rounds === r.rounds && is.bugs === r.bugs, 'counts are what was seen')
  }

  /** A person decided about tasks: what was counted about them begins anew. */
  function edited(state: Record<TaskId, TaskState> = {}, removed: TaskId[] = []) {
    for (const [id, now] of Object.entries(state))
      records.set(id, { ...newRecord(), rounds: now.rounds, bugs: now.bugs })
    for (const id of removed) records.delete(id)
    forget(id => removed.includes(id) || Object.hasOwn(state, id))
    // What was removed half-finished is not checked again by anyone.
    if (removed.length > 0) treeGreen = null
  }

  function paid(state: RunState, usd: number) {
    spent += usd
    must(state.spent.usd === spent, 'what a call costs is added up')
  }

  function steered() {
    limitedUntil.clear()
    unusable.clear()
    pauses.clear()
  }

  function resumed(now: Limits) {
    steered()
    limits = now
    seen.limitedSince = null
    streaks.splice(0)
    waits.clear()
  }

  return { work, wait, finish, settled, edited, paid, steered, resumed }
}

const wanted = (ends: 'signal' | 'checks' | 'verdict', o: Ok) =>
  ends === 'checks' || (ends === 'signal' ? o.signal === true : o.verdict === 'approve')

const names = (red: Finding[]) => [...new Set(red.map(f => f.check))].sort().join()

/** To plan is work, but none of the work that was planned. */
const isOfThePlan = ({ first = '' }: Task): boolean => !['refine', 'decompose'].includes(first)

export function must(holds: boolean, what: string): void {
  if (!holds) throw new Error(what)
}
