import { isTruth, type RunEvent, type Settled } from '../core/events.ts'
import { fold } from '../core/evolve.ts'
import { exitCode } from '../core/exit-code.ts'
import { reopen } from '../core/reopen.ts'
import type { Limits } from '../core/workflow.ts'
import { prompt } from '../core/workflows/prompt.ts'
import { openBook } from '../engine/book.ts'
import { run } from '../engine/run.ts'
import { processRef } from '../runners/proc.ts'
import { processRunner } from '../runners/process.ts'
import { receiveControls, sendControl } from '../store/control.ts'
import { openJournal, readJournal } from '../store/journal.ts'
import { dropNote } from '../store/notes.ts'
import { makeRunDir, runDir } from '../store/runs.ts'
import { openSession, type Session } from '../store/session.ts'
import { needWritable } from '../store/writable.ts'
import { plainLine } from '../view/plain.ts'
import { receiptOf } from '../view/report/receipt.ts'
import { shortReceipt } from '../view/report/short.ts'
import { redact } from './call.ts'
import { composePorts } from './compose.ts'
import { consoleListener, type Loudness } from './console.ts'
import { keepWhatIsDirty, noteWhatIsLeft } from './keep-start.ts'
import { LEFT } from './past-run.ts'
import type { Plan } from './plan.ts'
import { listenForRetry, RETRY_KEY } from './retry-key.ts'
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
}

const LINGER_MS = 10_000

/** One sitting of a run, by whoever holds it. */
export async function conduct(sitting: Sitting): Promise<number> {
  const { home, id, plan, past } = sitting
  const { project, prompt: asked, agent } = plan
  const session = openSession(project, id, {
    id,
    project,
    workflow: 'prompt',
    prompt: asked,
    agent: redact(agent.argv),
  })
  const dir = past.length > 0 ? runDir(home, id) : makeRunDir(home, id)
  dropNote(dir, LEFT)
  if (past.length === 0) sitting.warnings.push(...keepWhatIsDirty(plan, dir))
  sitting.announce()
  return sit(sitting, session, dir)
}

/** Opens the journal, lets the engine work, and puts everything away again. */
async function sit(sitting: Sitting, session: Session, dir: string): Promise<number> {
  const { home, id, plan, limits, past, env } = sitting
  const { settings, project } = plan
  const { signals, close } = listenToSignals(line => process.stderr.write(`${line}\n`))
  const journal = needWritable(dir, 'make room or rights, and try again', () => openJournal(dir))
  const controls = receiveControls(dir, past)
  const runner = processRunner({ run: id, graceMs: settings.killGrace * 1000 })
  const { json, quiet } = sitting.loud
  const keys =
    process.stdin.isTTY && !json && !quiet
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
  })
  let code: number
  try {
    let last: Settled | null = past.findLast(e => e.type === 'settled') ?? null
    const tell = (event: RunEvent) => {
      if (isTruth(event)) journal.append(event)
      if (event.type === 'settled') last = event
      session.hear(event)
      // The console first: it takes its live status away before anyone else writes.
      show(event)
      keys?.hear(event)
      if (event.type === 'warned' && !sitting.loud.json) warn(event.note)
      sitting.onEvent?.(event)
    }
    const book = openBook(prompt(), limits, fold(past), { tell })
    const at = Date.now()
    const by = processRef(process.pid)
    if (past.length > 0) {
      book.tell({ type: 'resumed', at, limits, by })
      const reopened = reopen(book.workflow, book.state, book.tasks, at)
      if (reopened) book.tell(reopened)
    } else {
      const tasks = [{ id: 'prompt', title: 'the prompt', blockedBy: [] }]
      book.tell({ type: 'began', at, v: 1, id, project, workflow: 'prompt', limits, tasks, pins: plan, by })
    }
    for (const note of sitting.warnings) book.tell({ type: 'warned', at, note })
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
    })
    const again = past.length > 0
    const ending = await run(book, ports, { patience, signals, baseline: settings.baseline, again })
    await noteWhatIsLeft(plan, dir, env)
    if (plan.once && ending.type === 'finished') code = endedGreen(last) ? 0 : 1
    else code = exitCode(ending, hasCondition(plan))
  } finally {
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

const hasCondition = ({ condition }: Plan): boolean =>
  condition.response !== null || condition.pattern !== null

const endedGreen = (last: Settled | null): boolean =>
  last?.end === 'ok' && last.findings.every(f => f.verdict === 'pass')

const warn = (note: string) => process.stderr.write(`ralph: warning: ${plainLine(note, 1000)}\n`)
