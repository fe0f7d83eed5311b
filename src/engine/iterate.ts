import type { AgentEnding, Finding, Outcome, RunEvent, Settled } from '../core/events.ts'
import { agentsIn, shareOf } from '../core/limits.ts'
import type { Decision } from '../core/next.ts'
import { agentOutcome, type Evidence, needsChecks, redOnTree, unstableTree } from '../core/outcome.ts'
import { CannotGoOn, type Check, type Claims, type Ports, type Work } from '../core/ports.ts'
import { settle } from '../core/settle.ts'
import type { Step, StepId } from '../core/table.ts'
import type { Book } from './book.ts'
import { runChecks, type Trees } from './check.ts'
import type { Signals } from './run.ts'
import { supervise, type Timeouts } from './supervise.ts'

/** What every part of the loop works with. */
export type RunContext = { book: Book; ports: Ports; timeouts: Timeouts; signals: Signals; trees: Trees }

/** Only the end of a long final text is kept: that is where an agent says what it did. */
const KEPT_TEXT = 256 * 1024

/** Stopped on request: this costs no iteration and is not a crash. */
const INTERRUPTED: Outcome = { end: 'interrupted', note: 'ended on request', changed: true, byUser: true }

/** A step that was journaled. `work` is null for a stage of ralph's own, which has no agent. */
export type Begun = { step: Step; work: Work | null; prompt: string }

/** Builds the prompt and journals that the step has started. */
export async function begin(
  { book, ports }: RunContext,
  decision: Extract<Decision, { type: 'work' }>,
): Promise<Begun> {
  const workspace = await ports.chooseWorkspace?.(decision.task)
  const { state, table } = book
  const usd = decision.agent === null ? null : shareOf(state, table.width)
  const step: Step = {
    id: state.steps + 1,
    task: decision.task.id,
    stage: decision.stage,
    agent: decision.agent,
    n: state.n + agentsIn(state) + 1,
    at: ports.clock.now(),
    ...(workspace !== undefined && { workspace }),
    ...(usd !== null && { usd }),
  }
  const work = step.agent === null ? null : await workOf(book, ports, step)
  const prompt = work ? await ports.buildPrompt(work) : ''
  book.record({ type: 'started', ...step })
  return { step, work, prompt }
}

/** One iteration: a fresh agent, its checks, and what they changed. */
export async function iterate(context: RunContext, { step, work, prompt }: Begun): Promise<void> {
  if (work) await callAgent(context, work, prompt)
  const ended = context.book.state.flight[step.id]
  if (ended && !context.signals.soft.aborted) await conclude(context, ended)
}

/** A step with what it works on and where. */
const workOf = async (book: Book, ports: Ports, step: Step): Promise<Work> => ({
  step,
  task: book.taskOf(step),
  stage: step.stage,
  state: book.state,
  workspace: await ports.workspaceOf(step.workspace),
})

/** The same work as the journal has it now. */
const asOfNow = (book: Book, work: Work): Work => ({
  ...work,
  task: book.taskOf(work.step),
  state: book.state,
})

/** Runs the agent and journals how it ended. An interrupted one is settled at once and costs no iteration. */
async function callAgent(context: RunContext, work: Work, prompt: string): Promise<void> {
  const { book, ports, timeouts, signals } = context
  const { step } = work
  const { id } = step
  const now = () => ports.clock.now()
  // Emitted only once the agent is starting: showing a long list takes a while.
  const showPrompt = () => ports.emit({ type: 'prompted', at: now(), id, text: prompt })
  let isLive = false
  const ended = await supervise(
    ports.clock,
    timeouts,
    signals.hard,
    listener => ports.call(asOfNow(book, work), prompt, listener),
    event => ports.emit({ type: 'agent', at: now(), id, event }),
    ({ live }) => {
      isLive = true
      const watched = live.watched && { watched: live.watched }
      book.record({ type: 'spawned', at: now(), id, ref: live.ref, ...watched })
      showPrompt()
    },
  ).catch(error => {
    // Nothing was spent, and nobody's failure keeps the task from being tried again.
    if (error instanceof CannotGoOn && !isLive)
      settleAs(book, ports, step, { ...INTERRUPTED, note: error.message })
    throw error
  })
  if (!isLive) showPrompt()
  await work.workspace.afterAgent(step)
  const { lost } = ended.exit
  // Nobody asked for it, so the run goes on. It costs no iteration, but counts as a crash: it must not go on for ever.
  if (lost !== undefined && !ended.stoppedByRalph)
    return apply(context, settleAs(book, ports, step, { end: 'interrupted', note: lost, changed: true }))
  if (ended.how === 'interrupted') return settleInterrupted(book, ports, step)
  const result = { ...ended.result, text: ended.result.text.slice(-KEPT_TEXT) }
  const claimed = await ports.claimsAtExit?.(asOfNow(book, work))
  book.record({ type: 'ended', at: now(), id, ...ended, result, ...(claimed && { claimed }) })
}

/** Checks, judges and settles a step whose agent has ended. After a crash, an iteration that was paid for goes on here. */
export async function conclude(context: RunContext, step: Step): Promise<void> {
  const { book, ports, signals } = context
  const evidence = await collectEvidence(context, step)
  if (evidence) await apply(context, settleAs(book, ports, step, outcomeOf(step, evidence)))
  // After a signal the next incarnation runs the checks; a cancelled run has none.
  else if (!signals.soft.aborted) await settleInterrupted(book, ports, step)
}

/** Null after a signal. */
async function collectEvidence(context: RunContext, step: Step): Promise<Evidence | null> {
  const { book, ports } = context
  // What ralph does itself comes before the checks: they check its result, in the workspace as it is then.
  const acted = step.agent === null ? ((await ports.act?.(await workOf(book, ports, step))) ?? []) : []
  const work = await workOf(book, ports, step)
  emitFindings(ports, step.id, acted)
  const well = (step.ended === undefined || needsChecks(step.ended)) && isGreen(acted)
  const checks = well ? ports.checks(work) : []
  const changed = await hasChanged(context, work, { well, isChecked: checks.length > 0 })
  const checked = well ? await checkTree(context, work, checks) : { findings: [] }
  if (!checked) return null
  const found = [...acted, ...checked.findings, ...(await lookForDoubts(ports, work, checked.findings))]
  const isComplete = step.agent === null && isGreen(found)
  const completed = isComplete ? ((await ports.complete?.(asOfNow(book, work))) ?? []) : []
  emitFindings(ports, step.id, completed)
  const claims = well && step.ended ? await claimsOf(ports, work, step.ended) : {}
  return { ...checked, findings: [...found, ...completed], claims, changed }
}

/** What ralph did itself has no claims, and no agent that could be idle. */
function outcomeOf({ ended }: Step, evidence: Evidence): Outcome {
  if (ended) return agentOutcome(ended, evidence)
  const { claims: _, ...checked } = evidence
  return { end: 'ok', ...checked, ...questionIn(checked.findings), changed: false }
}

/** An agent that fell silent had not come to an end, so its last words are no claim; what it had written is one. */
async function claimsOf(ports: Ports, work: Work, { how, claimed, result }: AgentEnding): Promise<Claims> {
  const text = how === 'inactive' ? '' : result.text
  return { ...claimed, ...(await ports.claims(work, text)) }
}

const questionIn = (findings: readonly Finding[]): { asks?: string } => {
  const question = findings.find(({ asks }) => asks)
  return question ? { asks: question.note } : {}
}

/** Whether the tree changed. That decides whether red checks are stuck, and whether an agent is silent or idle. */
async function hasChanged(
  { book, trees }: RunContext,
  { step, workspace }: Work,
  { well, isChecked }: { well: boolean; isChecked: boolean },
): Promise<boolean> {
  const isSilent = step.ended?.how === 'inactive'
  const checked = book.state.checked[step.workspace ?? '']?.tree
  const changed = isChecked || isSilent ? await trees.changed(workspace, checked) : true
  // Without checks nobody looked at the tree before this step.
  const isAlone = isSilent || (well && !isChecked && step.agent !== null)
  return (isAlone ? await workspace.changedInStep() : null) ?? changed
}

/** Checks may change the tree, as a formatter does; then they run once more, on what they left. */
const MOST_CHECKINGS = 2

/**
 * Runs the checks of a step. What they prove is the tree that they ran on, so it must be the tree as it is left, and as
 * it will be committed: everything that may change it comes before the last look. null after a signal.
 */
async function checkTree(
  context: RunContext,
  work: Work,
  checks: Check[],
): Promise<{ findings: Finding[]; tree?: string } | null> {
  const { book, ports, signals, trees } = context
  const { step, task, workspace } = work
  for (let checking = 1; ; checking++) {
    const before = trees.last(workspace)
    const onTree = redOnTree(book.state, before, step.workspace)
    const red = { beforeRun: book.state.redBefore, onTree }
    const runs = before === null ? {} : { runs: new Map() }
    const checkWork = { step, task, text: step.ended?.result.text ?? '', ...runs }
    const findings = await runChecks(ports, checks, checkWork, red, signals)
    if (!findings) return null
    const tree = checks.length > 0 && before !== null ? { tree: before } : {}
    if (!isGreen(findings)) return { findings, ...tree }
    const wrong = await workspace.prepareApply({ step, state: book.state })
    if (signals.hard.aborted) return null
    emitFindings(ports, step.id, wrong)
    if (!isGreen(wrong) || checks.length === 0) return { findings: [...findings, ...wrong], ...tree }
    const after = await trees.look(workspace)
    if (before === null || after === null || before === after) return { findings, ...tree }
    if (checking < MOST_CHECKINGS) continue
    const unstable = unstableTree(await workspace.changedFiles())
    emitFindings(ports, step.id, [unstable])
    return { findings: [...findings, unstable], ...tree }
  }
}

const isGreen = (findings: readonly Finding[]) => findings.every(({ verdict }) => verdict === 'pass')

function emitFindings({ emit, clock }: Ports, id: StepId, findings: readonly Finding[]): void {
  for (const finding of findings) emit({ type: 'checked', at: clock.now(), id, finding, ms: 0, exit: null })
}

/** Asked only after checks: without them nothing is proven anyway. */
async function lookForDoubts(ports: Ports, work: Work, checked: Finding[]): Promise<Finding[]> {
  const { clock } = ports
  const { step, state, workspace } = work
  const began = clock.elapsed()
  const found = checked.length > 0 ? await workspace.doubts(state, checked) : []
  const ms = clock.elapsed() - began
  for (const finding of found)
    ports.emit({ type: 'checked', at: clock.now(), id: step.id, finding, ms, exit: null })
  return found
}

/** What it changed is recorded at once: a cancelled run is never resumed. */
async function settleInterrupted(book: Book, ports: Ports, step: Step): Promise<void> {
  settleAs(book, ports, step, INTERRUPTED)
  const workspace = await ports.workspaceOf(step.workspace)
  await workspace.recordChanges(step)
}

export function settleAs(book: Book, ports: Ports, step: Step, outcome: Outcome): Settled {
  const { table, state } = book
  const event: RunEvent & Settled = settle(table, state, step, book.taskOf(step), outcome, ports.clock.now())
  book.record(event)
  return event
}

/** Makes the files follow what was settled. Repeated after a crash until `applied` is journaled. */
export async function apply({ book, ports, signals }: RunContext, settled: Settled): Promise<void> {
  await ports.apply(settled)
  // It may have been cut short: the next incarnation repeats it.
  if (signals.hard.aborted) return
  book.record({ type: 'applied', at: ports.clock.now(), id: settled.id })
}
