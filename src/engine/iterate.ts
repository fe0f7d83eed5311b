import type { Outcome, RunEvent, Settled } from '../core/events.ts'
import type { Decision } from '../core/next.ts'
import { judge, needsChecks } from '../core/outcome.ts'
import type { Ports, Work } from '../core/ports.ts'
import { settle } from '../core/settle.ts'
import type { Step } from '../core/table.ts'
import type { Book } from './book.ts'
import { runChecks } from './check.ts'
import type { Signals } from './run.ts'
import { supervise, type Timeouts } from './supervise.ts'
import type { Tree } from './tree.ts'

export type Bench = { book: Book; ports: Ports; timeouts: Timeouts; signals: Signals; tree: Tree }

/** Of a final text, the end is kept: that is where an agent says what came of it. */
const KEPT_TEXT = 256 * 1024

/** Ended on purpose: it costs no iteration and is no crash. */
const INTERRUPTED: Outcome = { end: 'interrupted', note: 'ended on request', changed: true, byUser: true }

export type Begun = { step: Step; prompt: string }

/** Takes up a piece of work. From here on the journal knows of it. */
export async function begin(
  { book, ports }: Bench,
  decision: Extract<Decision, { type: 'work' }>,
): Promise<Begun> {
  const { state } = book
  const step: Step = {
    id: state.steps + 1,
    task: decision.task.id,
    stage: decision.stage,
    agent: decision.agent,
    n: state.n + Object.keys(state.flight).length + 1,
    at: ports.clock.now(),
  }
  const prompt = step.agent === null ? '' : await ports.brief(workOf(book, step))
  book.record({ type: 'started', ...step })
  return { step, prompt }
}

/** One iteration: a fresh agent, its checks, and what they changed. */
export async function iterate(bench: Bench, { step, prompt }: Begun): Promise<void> {
  if (step.agent !== null) await callAgent(bench, step, prompt)
  const landed = bench.book.state.flight[step.id]
  if (landed && !bench.signals.soft.aborted) await conclude(bench, landed)
}

const workOf = (book: Book, step: Step): Work => ({
  step,
  task: book.taskOf(step),
  stage: step.stage,
  state: book.state,
})

/** Lets the agent work and journals how it ended; an interrupted one is settled at once, at no cost. */
async function callAgent(
  { book, ports, timeouts, signals }: Bench,
  step: Step,
  prompt: string,
): Promise<void> {
  const { id } = step
  const now = () => ports.clock.now()
  // Whatever is to be shown of it is made while the agent starts: that of a long list takes a while.
  const showPrompt = () => ports.emit({ type: 'prompted', at: now(), id, text: prompt })
  let isLive = false
  const ended = await supervise(
    ports.clock,
    timeouts,
    signals.hard,
    listener => ports.call(workOf(book, step), prompt, listener),
    event => ports.emit({ type: 'agent', at: now(), id, event }),
    ({ live }) => {
      isLive = true
      book.record({ type: 'spawned', at: now(), id, ref: live.ref })
      showPrompt()
    },
  )
  if (!isLive) showPrompt()
  await ports.runner.sweep(id)
  if (ended.how === 'interrupted') return void settleAs(book, ports, step, INTERRUPTED)
  const result = { ...ended.result, text: ended.result.text.slice(-KEPT_TEXT) }
  const claimed = await ports.witness?.(workOf(book, step))
  book.record({ type: 'ended', at: now(), id, ...ended, result, ...(claimed && { claimed }) })
}

/** From the agent's end to the next decision; after a crash, an iteration that was paid for goes on here. */
export async function conclude(bench: Bench, step: Step): Promise<void> {
  const { book, ports, signals, tree } = bench
  const work = workOf(book, step)
  const well = step.ended === undefined || needsChecks(step.ended)
  const checks = well ? ports.checks(work) : []
  const changed = checks.length > 0 || step.ended?.how === 'inactive' ? await tree.changed() : true
  const findings = await runChecks(ports, checks, step, book.state.redBefore, signals)
  if (!findings) {
    // A signal leaves the checks to the next sitting; a cancelled run has none.
    if (!signals.soft.aborted) settleAs(book, ports, step, INTERRUPTED)
    return
  }
  const claims =
    well && step.ended ? { ...step.ended.claimed, ...(await ports.claims(work, step.ended.result.text)) } : {}
  const outcome: Outcome = step.ended
    ? judge({ ...step.ended, findings, claims, changed })
    : { end: 'ok', findings, changed: false }
  const settled = settleAs(book, ports, step, outcome)
  await apply(bench, settled)
}

export function settleAs(book: Book, ports: Ports, step: Step, outcome: Outcome): Settled {
  const { table, state } = book
  const event: RunEvent & Settled = settle(table, state, step, book.taskOf(step), outcome, ports.clock.now())
  book.record(event)
  return event
}

/** Makes the world outside follow what was settled; repeated after a crash until it is known to be done. */
export async function apply({ book, ports, signals }: Bench, settled: Settled): Promise<void> {
  await ports.apply(settled, book.tasks, book.state, book.record)
  // Cut short, it may not be done: the next sitting repeats it.
  if (signals.hard.aborted) return
  book.record({ type: 'applied', at: ports.clock.now(), id: settled.id })
}
