import type { Outcome, RunEvent, Settled } from '../../src/core/events.ts'
import { evolve, evolveList, fold } from '../../src/core/evolve.ts'
import { next } from '../../src/core/next.ts'
import { agentOutcome, needsChecks } from '../../src/core/outcome.ts'
import { settle } from '../../src/core/settle.ts'
import { initial, type RunState, type Step, taskStateOf } from '../../src/core/table.ts'
import type { Edit, Task } from '../../src/core/task.ts'
import { doneByPerson, reopened } from '../../src/workflows/shared/list-edit.ts'
import { someEnding, someFindings } from './behaviour.ts'
import { desk, same } from './desk.ts'
import { dice } from './dice.ts'
import { must, oracle } from './oracle.ts'
import { type Kind, setup } from './setup.ts'

/** What an agent says at its end. */
const SAYINGS = ['words', 'There is nothing left to do.', 'Something is still to be done.']

/** Far more turns than any run takes: of a hundred thousand, the longest took 300. */
const TURNS = 2000
const CRASH = new Error('power cut')

/** How a walk went: only to know that walks go everywhere. */
export type Trace = {
  result: string
  proof: string | null
  turns: number
  crashes: number
  journal: RunEvent[]
}

/**
 * One run from its beginning to its end, by the pure core alone. The walk is the engine and the world:
 * it journals, throws the dice for what agents and people do, loses its memory in crashes and recovers
 * from the journal. An oracle watches.
 */
export function walk(kind: Kind, seed: number): Trace {
  const d = dice(seed)
  const rules = setup(kind, d)
  const { workflow, agentsFor, temper } = rules
  const watch = oracle(rules)
  let { limits } = rules
  // Looking twice at everything costs time, and so does reading the journal. Some walks do, for all.
  const careful = d.chance(0.04)
  const forgetful = careful || d.chance(0.12)
  const journal: RunEvent[] = []
  const memory: { state: RunState; tasks: readonly Task[] } = { state: initial, tasks: [] }
  let read = 0
  let state: RunState = initial
  let tasks: readonly Task[] = []
  let now = 1
  let turns = 0
  let crashes = 0
  let people = d.pick([0, 0, 2, 5])
  let resumes = d.below(3)

  /** How long this incarnation has taken. */
  const worked = () => now - (journal.findLast(e => e.type === 'began' || e.type === 'resumed')?.at ?? now)
  const stands = (task: Task) => taskStateOf(workflow, state, task)
  const taskOf = (step: Step) => tasks.find(t => t.id === step.task)!
  const lists = desk(rules, d, careful, {
    get state() {
      return state
    },
    get tasks() {
      return tasks
    },
    get now() {
      return now
    },
    record,
    adoptPerson,
  })

  function record(event: RunEvent, look?: (before: RunState) => void) {
    journal.push(event)
    const before = state
    state = evolve(state, event)
    look?.(before)
    const list = evolveList(tasks, event)
    if (list !== tasks && event.type !== 'began')
      must(same(evolveList(list, event), list), 'repeating what an event does to the list changes nothing')
    tasks = list
    if (crashes < 5 && d.chance(temper.crash)) {
      crashes++
      throw CRASH
    }
  }

  /** Memory is lost, the journal is read: it must tell the same. Lines read before give what they gave before. */
  function recall() {
    for (; read < journal.length; read++) {
      const event = throughJson(journal[read]!)
      memory.state = evolve(memory.state, event)
      memory.tasks = evolveList(memory.tasks, event)
    }
    must(same(memory.state, state) && same(memory.tasks, tasks), 'the journal tells the whole state')
    state = memory.state
    tasks = memory.tasks
  }

  /** After a crash: what was settled is applied, what had ended is concluded, the rest was interrupted. */
  function recover(): false {
    if (forgetful) recall()
    for (const settled of Object.values(state.unapplied)) apply(settled)
    for (const step of Object.values(state.flight)) {
      if (step.ended) conclude(step)
      else conclude(step, { end: 'interrupted', note: 'crash', changed: true })
    }
    return false
  }

  function land(step: Step) {
    now += 1000 * (1 + d.below(300))
    if (step.agent === null) {
      const failed = d.chance(temper.trouble / 2)
      const findings = someFindings(d, { ...temper, unsure: 0.1 })
      return conclude(
        step,
        failed ? { end: 'error', note: '', changed: false } : { end: 'ok', findings, changed: false },
      )
    }
    if (!step.ref && d.chance(0.1))
      record({ type: 'spawned', at: now, id: step.id, ref: { pid: 1, startTime: '', host: '' } })
    lists.scribble(step)
    if (d.chance(temper.trouble * 0.1))
      return conclude(step, { end: 'interrupted', note: '', changed: d.chance(temper.changed), byUser: true })
    const ending = someEnding(d, temper, now)
    const paid = () => watch.paid(state, ending.result.costUsd ?? 0)
    record({ type: 'ended', at: now, id: step.id, ms: 1, ...ending }, paid)
    conclude(state.flight[step.id]!)
  }

  function conclude(step: Step, outcome: Outcome = verify(step)) {
    const refused = lists.adoptAgent(step)
    const task = taskOf(step)
    const frozen = careful ? JSON.stringify(state) : ''
    const event = settle(workflow, state, step, task, outcome, now)
    if (careful) {
      must(same(settle(workflow, state, step, task, outcome, now), event), 'settling is deterministic')
      must(JSON.stringify(state) === frozen, 'settling changes nothing by itself')
    }
    const known = new Set(tasks.map(t => t.id))
    record(event, before => watch.settled(step, outcome, before, state, task, event, now))
    for (const bug of event.add) if (bug.parent) waitsFor(task, bug, known.has(bug.id))
    apply(event, refused)
  }

  function waitsFor(task: Task, bug: Task, known: boolean) {
    const place = tasks.findIndex(t => t.id === task.id)
    must(tasks[place]!.blockedBy.includes(bug.id), 'a bug fix blocks its task')
    must(known || tasks[place + 1]!.id === bug.id, 'and comes right behind it')
    must(stands(bug).stage === 'fix', 'and is still to be made')
  }

  function verify(step: Step): Outcome {
    const ending = step.ended!
    const findings = needsChecks(ending) ? someFindings(d, temper) : []
    const text = ending.result.text === 'words' ? d.pick(SAYINGS) : ending.result.text
    const outcome = agentOutcome(
      { ...ending, result: { ...ending.result, text } },
      { findings, claims: lists.claims(step), changed: d.chance(temper.changed) },
    )
    if (outcome.end === 'ok' && ending.result.denials) {
      must(!outcome.signal && outcome.verdict !== 'approve', 'who was refused a tool has not finished')
    }
    return outcome
  }

  function apply(settled: Settled, refused: string[] = []) {
    lists.project(refused)
    if (d.chance(0.05)) record({ type: 'committing', at: now, id: settled.id, parent: null, message: 'm' })
    record({ type: 'applied', at: now, id: settled.id }, () => {
      must(
        !state.unapplied[settled.id] && !state.intents[settled.id],
        'what is applied is not to be done again',
      )
    })
  }

  /** Somebody edits, pauses, or decides. Lists are only read when nothing flies and all is applied. */
  function person() {
    if (people === 0 || !d.chance(0.1)) return
    people--
    const quiet = Object.keys(state.flight).length === 0 && Object.keys(state.unapplied).length === 0
    if (d.chance(0.3)) {
      const hold = d.pick(['pause', 'pause', null, 'stop'] as const)
      watch.steered()
      return record({ type: 'control', at: now, hold })
    }
    if (quiet && lists.edit && d.chance(0.7)) return lists.edit()
    // They may have taken every task out of the list.
    if (kind === 'stories' || tasks.length === 0) return
    // By command a person decides at once, also about a task that is being worked on.
    const task = d.pick(tasks)
    const to = d.chance(0.5) ? doneByPerson(stands(task)) : reopened(workflow, task)
    adoptPerson({ state: Object.fromEntries([[task.id, to]]) })
  }

  function adoptPerson(edit: Edit) {
    watch.edited(edit.state, edit.list?.remove)
    record({ type: 'edited', at: now, by: 'person', ...edit })
  }

  /** One decision and what follows from it; true at the end of the run. */
  function turn(): boolean {
    person()
    const decision = next(workflow, state, tasks, now, worked(), agentsFor)
    const flying = Object.values(state.flight)
    switch (decision.type) {
      case 'work': {
        watch.work(decision, state, tasks, now, worked())
        const id = state.steps + 1
        const { task, stage, agent } = decision
        record({ type: 'started', at: now, id, task: task.id, stage, agent, n: state.n + flying.length + 1 })
        if (d.chance(0.5)) return false
        break
      }
      case 'busy':
        must(flying.length > 0, 'busy with something')
        break
      case 'pause':
        now += 60_000
        watch.steered()
        record({ type: 'control', at: now, hold: d.chance(0.1) ? 'stop' : null })
        return false
      case 'wait':
        watch.wait(decision, now)
        now = decision.until
        return false
      case 'finish':
        watch.finish(decision, state, tasks, now)
        return !comesBack(decision.result)
      default:
        return decision satisfies never
    }
    const inFlight = Object.values(state.flight)
    land(d.pick(inFlight))
    return false
  }

  /** Whoever resumes a run that gave up can expect it to try again. */
  function comesBack(result: string): boolean {
    if (resumes === 0 || !['failures', 'inactive', 'limited', 'cancelled', 'exhausted'].includes(result))
      return false
    resumes--
    now += 3_600_000
    if (result === 'exhausted') limits = { ...limits, iterations: limits.iterations! + 1 + d.below(5) }
    watch.resumed(limits)
    record({ type: 'resumed', at: now, limits })
    const again = next(workflow, state, tasks, now, worked(), agentsFor)
    must(again.type !== 'finish' || again.result !== result, 'a resumed run goes on')
    return true
  }

  function attempt<T>(what: () => T): T | null {
    try {
      return what()
    } catch (error) {
      if (error !== CRASH) throw error
      return null
    }
  }

  function begin() {
    const began = {
      type: 'began',
      at: now,
      v: 2,
      id: 'r',
      project: '/',
      workflow: workflow.name,
      limits,
      pins: {},
    } as const
    attempt(() => record({ ...began, tasks: rules.tasks }))
    lists.begin()
  }

  begin()
  for (let ended: boolean | null = false; ended !== true; ) {
    must(++turns < TURNS, 'every run ends')
    ended = attempt(turn)
    while (ended === null) ended = attempt(recover)
    if (careful) must(same(JSON.parse(JSON.stringify(state)), state), 'state survives JSON')
  }
  if (forgetful) recall()
  if (careful) must(same(fold(journal.map(throughJson)), { state, tasks }), 'folding gives the same')
  const last = next(workflow, state, tasks, now, worked(), agentsFor)
  if (last.type !== 'finish') throw new Error('a run that has ended stays so')
  return { result: last.result, proof: last.proof, turns, crashes, journal }
}

const throughJson = (event: RunEvent): RunEvent => JSON.parse(JSON.stringify(event))
