import { isatty } from 'node:tty'
import { isTruth, type RunEvent, type Settled } from '../core/events.ts'
import { fold } from '../core/evolve.ts'
import { exitCode } from '../core/exit-code.ts'
import { reopen } from '../core/reopen.ts'
import type { Limits } from '../core/table.ts'
import { heldTasks, projectTodo } from '../core/todo.ts'
import { type Book, openBook } from '../engine/book.ts'
import { run } from '../engine/run.ts'
import { processRef } from '../runners/process/proc.ts'
import { processRunner } from '../runners/process/process.ts'
import { makeRunDir, runDir } from '../runs/find.ts'
import { LEFT } from '../runs/past-run.ts'
import { receiveControls, sendControl } from '../store/control.ts'
import { needWritable } from '../store/files/writable.ts'
import { openJournal, readJournal } from '../store/journal.ts'
import { dropNote } from '../store/notes.ts'
import { openSession, type Session } from '../store/session.ts'
import { isAttended } from '../terminal/attended.ts'
import { consoleListener, type Loudness } from '../terminal/console.ts'
import { listenForRetry, RETRY_KEY } from '../terminal/retry-key.ts'
import { terminalPerson } from '../terminal/terminal-person.ts'
import { plainLine } from '../view/plain.ts'
import { receiptOf } from '../view/report/receipt.ts'
import { shortReceipt } from '../view/report/short.ts'
import type { TaskList } from '../view/run-lines.ts'
import { tradeOf, workflowOf } from '../workflows/index.ts'
import { gitEnvironment, type Plan } from '../workflows/spec.ts'
import { reviewLines } from '../workflows/stories/review-lines.ts'
import { reviewAnalytics } from '../workflows/stories/rules/analytics.ts'
import { dropMarker } from '../workflows/stories/story-marker.ts'
import type { Trade } from '../workflows/workflow.ts'
import { keepPace } from './back-pressure.ts'
import { redact } from './call.ts'
import { keepWhatIsDirty, noteWhatIsLeft } from './keep-start.ts'
import { composePorts } from './ports.ts'
import { listenToSignals } from './signals.ts'

export type Sitting = {
  home: string
  id: string
  plan: Plan
  limits: Limits
  /** What the journal holds already: empty for a new run. */
  past: readonly RunEvent[]
  /** Told right after the beginning. */
  warnings: string[]
  loud: Pick<Loudness, 'json' | 'quiet'>
  env: NodeJS.ProcessEnv
  /** Says what is about to happen, once nothing stands in the way. */
  announce(): void
  onEvent?(event: RunEvent): void
  /** What the user said when they went on. */
  instruction?: string
}

const LINGER_MS = 10_000

/** One sitting of a run, by whoever holds it. */
export async function conduct(sitting: Sitting): Promise<number> {
  const { home, id, plan, past } = sitting
  const { project, agent } = plan
  const notices: string[] = []
  const session = openSession(
    project,
    id,
    { id, project, workflow: plan.workflow, ...aboutOf(plan), agent: redact(agent.argv) },
    note => notices.push(note),
  )
  const dir = past.length > 0 ? runDir(home, id) : makeRunDir(home, id)
  dropNote(dir, LEFT)
  if (past.length === 0) sitting.warnings.push(...keepWhatIsDirty(plan, dir))
  sitting.announce()
  return sit(sitting, session, notices, dir)
}

/** Opens the journal, lets the engine work, and puts everything away again. `notices`: what is still to be said. */
async function sit(sitting: Sitting, session: Session, notices: string[], dir: string): Promise<number> {
  const { home, id, plan, limits, past, env } = sitting
  const { settings, project } = plan
  const { signals, close } = listenToSignals(line => process.stderr.write(`${line}\n`))
  const journal = needWritable(dir, 'make room or rights, and try again', () => openJournal(dir))
  const controls = receiveControls(dir, past)
  const runner = processRunner({ run: id, graceMs: settings.killGrace * 1000 })
  const { json, quiet } = sitting.loud
  const keys =
    isatty(0) && !json && !quiet
      ? listenForRetry(process.stdin, () => sendControl(dir, { type: 'retry' }, Date.now()))
      : null
  const show = consoleListener(process.stdout, env, {
    ...sitting.loud,
    key: keys && RETRY_KEY,
    streamAgent: settings.streamAgentOutput,
    limit: limits.iterations,
    output: settings.output,
    ending: (style, fit) =>
      shortReceipt(receiptOf(readJournal(dir)), style, {
        fit,
        condition: hasCondition(plan),
        whole: !sitting.loud.quiet,
      }),
    list: () => (book && plan.workflow !== 'prompt' ? listOf(book) : null),
    reviews: style => (book && plan.workflow === 'stories' ? reviewLines(analyticsOf(book), style) : []),
  })
  // A last signal ends the process where it stands.
  const unmark = () => plan.workflow === 'stories' && dropMarker(project)
  process.on('exit', unmark)
  let code: number
  let book: Book | null = null
  try {
    let trade: Trade | null = null
    let last: Settled | null = past.findLast(e => e.type === 'settled') ?? null
    const tell = (event: RunEvent) => {
      if (isTruth(event)) journal.append(event)
      if (event.type === 'settled') last = event
      session.hear(event)
      trade?.hear(event)
      // The console first: it takes its live status away before anyone else writes.
      show(event)
      keys?.hear(event)
      if (event.type === 'warned' && !sitting.loud.json) warn(event.note)
      sitting.onEvent?.(event)
      // What the session noticed in the middle of it comes after it.
      for (const note of notices.splice(0)) tell({ type: 'warned', at: event.at, note })
    }
    const opened = openBook(workflowOf(plan), limits, fold(past), { tell })
    book = opened
    trade = tradeOf(plan, {
      workflow: opened.workflow,
      limits,
      session,
      past,
      journal: () => readJournal(dir),
      person: isAttended(sitting.loud) ? terminalPerson(signals.soft, env) : null,
      run: () => opened,
      tell: opened.tell,
      interrupt: () => process.emit('SIGINT'),
      runDir: dir,
      env: gitEnvironment(settings, env),
    })
    const at = Date.now()
    const by = processRef(process.pid)
    if (past.length > 0) {
      opened.tell({ type: 'resumed', at, limits, by })
      const reopened = reopen(opened.workflow, opened.state, opened.tasks, at)
      if (reopened) opened.tell(reopened)
      trade.back?.()
      if (sitting.instruction) opened.tell({ type: 'told', at, text: sitting.instruction })
    } else {
      const { tasks, edits } = trade.opening(at)
      const { workflow } = plan
      opened.tell({ type: 'began', at, v: 1, id, project, workflow, limits, tasks, pins: pinsOf(plan), by })
      for (const edit of edits) opened.tell(edit)
    }
    for (const note of sitting.warnings) opened.tell({ type: 'warned', at, note })
    const patience = {
      inactivityMs: settings.inactivityTimeout * 1000,
      iterationMs: settings.iterationTimeout * 1000,
      lingerMs: LINGER_MS,
    }
    const ports = composePorts({
      plan,
      limits,
      env,
      runner,
      session,
      tell,
      controls,
      runDir: dir,
      home,
      hard: signals.hard,
      lastCommit: lastCommit(past),
      isFresh: past.length === 0,
      isFirst: !past.some(event => event.type === 'started'),
      trade,
      ready: keepPace(show.drained, patience.inactivityMs, signals.soft),
    })
    const again = past.length > 0
    const ending = await run(opened, ports, { patience, signals, baseline: settings.baseline, again })
    await noteWhatIsLeft(plan, dir, env)
    if (plan.once && ending.type === 'finished') code = endedGreen(last) ? 0 : 1
    else if (trade.isThere() && ending.type === 'stopped' && !ending.interrupted) code = 0
    else code = exitCode(ending, hasCondition(plan))
  } finally {
    unmark()
    process.off('exit', unmark)
    keys?.close()
    show.close()
    await runner.close()
    controls.close()
    journal.close()
    close()
  }
  return code
}

/** Where HEAD was when the run was last at work; null if it never moved. */
const lastCommit = (past: readonly RunEvent[]): string | null =>
  past.findLast(e => e.type === 'committed')?.to ?? null

/** The list that a build was given is what it begins with: once is enough. */
const pinsOf = (plan: Plan): Plan => (plan.workflow === 'tasks' ? { ...plan, list: null } : plan)

const hasCondition = (plan: Plan): boolean =>
  plan.workflow !== 'prompt' || plan.condition.response !== null || plan.condition.pattern !== null

/** What session.json says of what is worked on. */
function aboutOf(plan: Plan): Record<string, unknown> {
  switch (plan.workflow) {
    case 'prompt':
      return { prompt: plan.prompt }
    case 'tasks':
      return { goal: plan.goal }
    case 'stories':
      return { stories: plan.dir, review: plan.review }
    default:
      return plan satisfies never
  }
}

const listOf = ({ tasks, state, workflow }: Book): TaskList => ({
  items: projectTodo(tasks, state, workflow),
  held: heldTasks(tasks, state, workflow),
})

const analyticsOf = ({ tasks, state, workflow }: Book) => reviewAnalytics(tasks, state, workflow)

const endedGreen = (last: Settled | null): boolean =>
  last?.end === 'ok' && last.findings.every(f => f.verdict === 'pass')

const warn = (note: string) => process.stderr.write(`ralph: warning: ${plainLine(note, 1000)}\n`)
