import type { Proof, Result } from '../core/events.ts'
import { type Decision, next } from '../core/next.ts'
import { CannotGoOn, type Ports } from '../core/ports.ts'
import type { Step, StepId } from '../core/table.ts'
import type { TaskId } from '../core/task.ts'
import type { Book } from './book.ts'
import { runChecks, watchTrees } from './check.ts'
import { apply, begin, conclude, iterate, type RunContext, settleAs } from './iterate.ts'
import { obey, sleeper } from './steer.ts'
import type { Timeouts } from './supervise.ts'

/** `soft`: finish what is running, then stop. `hard`: end it now. */
export type Signals = { soft: AbortSignal; hard: AbortSignal }

export type LoopEnding =
  | { type: 'finished'; result: Result; proof: Proof | null; why: string }
  /** Not finished; the run can be resumed. */
  | { type: 'stopped'; why: string; interrupted: boolean }

/** Timers are limited to some days, and a laptop may sleep meanwhile: look again at least once an hour. */
const LONGEST_NAP = 3_600_000

const napUntil = (until: number, now: number): number => Math.min(until - now, LONGEST_NAP)

/** The loop. Decisions come from `next`; this acts on them and knows nothing of workflows, agents or screens. */
export async function runLoop(
  book: Book,
  ports: Ports,
  options: { timeouts: Timeouts; signals: Signals; baseline: boolean; again: boolean },
): Promise<LoopEnding> {
  const { soft, hard } = options.signals
  const cancel = new AbortController()
  const signals = { soft, hard: AbortSignal.any([hard, cancel.signal]) }
  const context: RunContext = {
    book,
    ports,
    timeouts: options.timeouts,
    signals,
    trees: watchTrees(),
  }
  const began = ports.clock.elapsed()
  const sleep = sleeper(context)
  const flights = noFlights()
  const endAll = () => cutAll(flights)
  signals.hard.addEventListener('abort', endAll)
  try {
    if (options.again) await recover(context)
    await takeBaseline(context, options.baseline)
    for (;;) {
      if (signals.soft.aborted || flights.trouble) await Promise.all(inTheAir(flights))
      if (flights.trouble) throw flights.trouble.error
      if (signals.soft.aborted) return await leave(context, 'interrupted', true)
      sleep.caughtUp()
      obey(context, cancel, task => drop(flights, book, task))
      if (flights.byId.size === 0) await ports.adoptEdits()
      const now = ports.clock.now()
      const worked = ports.clock.elapsed() - began
      const { table, state, tasks } = book
      const decision = next(table, state, tasks, now, worked, ports.agentsFor)
      switch (decision.type) {
        case 'work':
          await launchStep(flights, context, decision)
          // With one step at a time there is nothing to decide until it ends.
          if (table.width === 1 && flights.byId.size > 0) await sleep.wait(inTheAir(flights), null)
          break
        case 'busy':
          if (flights.byId.size === 0) throw new Error('the state has steps in flight, but none is running')
          await sleep.wait(
            inTheAir(flights),
            decision.until === undefined ? null : napUntil(decision.until, now),
          )
          break
        case 'wait':
          ports.emit({ type: 'waiting', at: now, until: decision.until, why: decision.why })
          await sleep.wait([], napUntil(decision.until, now))
          break
        case 'pause':
          await sleep.wait([], null)
          break
        case 'finish': {
          const { result, proof, why } = decision
          await ports.onLeave?.()
          book.record({ type: 'finished', at: now, result, proof, why })
          return { type: 'finished', result, proof, why }
        }
        default:
          decision satisfies never
      }
    }
  } catch (error) {
    if (error instanceof CannotGoOn) return await leave(context, error.message, signals.soft.aborted)
    recordError(context, error)
    throw error
  } finally {
    signals.hard.removeEventListener('abort', endAll)
    sleep.stop()
  }
}

/** Before the first iteration: looks at the tree, and runs the checks as a baseline. */
async function takeBaseline({ book, ports, signals, trees }: RunContext, baseline: boolean): Promise<void> {
  const task = book.tasks[0]
  if (!task) return
  const workspace = await ports.workspaceOf(undefined)
  if (book.state.steps === 0) workspace.beforeFirstChecks()
  const checks = ports.checks({ stage: task.first ?? book.table.first, task, workspace })
  if (checks.length === 0) return
  const tree = await trees.look(workspace)
  if (!baseline || book.state.steps > 0) return
  const findings = await runChecks(ports, checks, null, { beforeRun: [], onTree: [] }, signals)
  if (!findings) return
  book.record({ type: 'baseline', at: ports.clock.now(), findings, ...(tree !== null && { tree }) })
}

/** Best effort: journals an unexpected error before it is thrown on. */
function recordError({ book, ports }: RunContext, error: unknown): void {
  const why = error instanceof Error ? error.message : String(error)
  try {
    book.record({ type: 'stopped', at: ports.clock.now(), why: why.split('\n', 1)[0]! })
  } catch {
    // Most likely it is the journal that cannot be written.
  }
}

async function leave({ book, ports }: RunContext, why: string, interrupted: boolean): Promise<LoopEnding> {
  const cleanly = await judgeWhatIsWritten(ports)
  book.record({ type: 'stopped', at: ports.clock.now(), why, ...(cleanly && { cleanly }) })
  return { type: 'stopped', why, interrupted }
}

/** If that fails, the next incarnation goes on as after a crash; the reason to stop stays what it was. */
async function judgeWhatIsWritten(ports: Ports): Promise<boolean> {
  try {
    await ports.onLeave?.()
    return true
  } catch {
    return false
  }
}

/**
 * After a crash the journal says how far each step came, and recovery goes on from there:
 * started but not ended → settled as interrupted; ended but not settled → its checks run;
 * settled but not applied → applied again. First it ends what the crash left running:
 * an agent, a check or a commit could still change the tree. Then it puts back what agents must not change, for all
 * steps: what one of them left could run with the git of another.
 */
async function recover(context: RunContext): Promise<void> {
  const { book, ports, signals } = context
  const steps = Object.values(book.state.flight)
  await ports.reap(steps.flatMap(step => step.ref ?? []))
  const isCutOff = (step: Step) => !step.ended && step.agent !== null
  for (const step of steps.filter(isCutOff)) await (await ports.workspaceOf(step.workspace)).afterAgent(step)
  for (const settled of Object.values(book.state.unapplied)) await apply(context, settled)
  for (const step of steps) {
    if (signals.soft.aborted) return
    if (!isCutOff(step)) await conclude(context, step)
    else {
      const note = 'interrupted by a crash'
      await apply(context, settleAs(book, ports, step, { end: 'interrupted', note, changed: true }))
    }
  }
}

/** A step that is running. */
type Flight = {
  done: Promise<void>
  /** Ends the step now. */
  cut: AbortController
  /** Its task was given up, so the run goes on without it. */
  isDropped: boolean
}

/** The steps that are running in this process. */
type Flights = {
  byId: Map<StepId, Flight>
  /** The first error of a step. The run stops once the others have ended. */
  trouble: { error: unknown } | null
}

const noFlights = (): Flights => ({ byId: new Map(), trouble: null })

const inTheAir = ({ byId }: Flights): Promise<void>[] => [...byId.values()].map(({ done }) => done)

/** Begins a step and lets it run. */
async function launchStep(
  flights: Flights,
  context: RunContext,
  decision: Extract<Decision, { type: 'work' }>,
): Promise<void> {
  const { soft, hard } = context.signals
  try {
    const begun = await begin(context, decision)
    const { id } = begun.step
    const cut = new AbortController()
    const flight: Flight = { cut, isDropped: false, done: Promise.resolve() }
    flights.byId.set(id, flight)
    if (hard.aborted) cut.abort()
    flight.done = iterate({ ...context, signals: { soft, hard: cut.signal } }, begun)
      .then(() => (flight.isDropped ? applyLeft(context, id) : undefined))
      .catch(error => noteTrouble(flights, error))
      .finally(() => flights.byId.delete(id))
  } catch (error) {
    noteTrouble(flights, error)
  }
}

const noteTrouble = (flights: Flights, error: unknown): void => {
  flights.trouble ??= { error }
}

/** A step that was ended by itself is applied: the run goes on. */
async function applyLeft(context: RunContext, id: StepId): Promise<void> {
  const settled = context.book.state.unapplied[id]
  if (settled && !context.signals.hard.aborted) await apply(context, settled)
}

function cutAll({ byId }: Flights): void {
  for (const { cut } of byId.values()) cut.abort()
}

/** Ends the steps of a task that was given up. */
function drop({ byId }: Flights, book: Book, task: TaskId): void {
  for (const step of Object.values(book.state.flight)) {
    const flight = byId.get(step.id)
    if (step.task !== task || !flight) continue
    flight.isDropped = true
    flight.cut.abort()
  }
}
