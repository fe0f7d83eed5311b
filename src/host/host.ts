import type { ResumedAgent, RunEvent, Settled } from '../core/events.ts'
import { fold } from '../core/evolve.ts'
import { redactWords } from '../core/secrets.ts'
import type { Limits } from '../core/table.ts'
import { type Book, openBook } from '../engine/book.ts'
import { type LoopEnding, runLoop } from '../engine/run.ts'
import { type MakeRunner, type RunnerRegistry, type RunRunner, runnerFor, runners } from '../runners/index.ts'
import { processRef } from '../runners/process/proc.ts'
import { makeRunDir, runDir } from '../runs/find.ts'
import { LEFT } from '../runs/past-run.ts'
import { receiveControls } from '../store/control.ts'
import { pinFolder } from '../store/files/pinned.ts'
import { requireWritable } from '../store/files/writable.ts'
import { type Journal, openJournal, readJournal } from '../store/journal.ts'
import { dropMemo } from '../store/memos.ts'
import { openSession, type Session } from '../store/session.ts'
import { gitEnvironment, type RunSpec } from '../workflows/spec.ts'
import type { Active, Context, Workflow } from '../workflows/workflow.ts'
import { backPressure, type Frontend, type Listener, viewOf } from './frontend.ts'
import { openNotifier } from './notify.ts'
import { type Adapters, composePorts, openAdapters } from './ports.ts'
import { sandboxOf } from './sandbox.ts'
import { keepDirtyFiles, lastCommits, noteEndState, recordBeginning, runExitCode } from './start-and-end.ts'

export type HostOptions = {
  home: string
  id: string
  workflow: Workflow
  spec: RunSpec
  limits: Limits
  /** What the journal holds already: empty for a new run. */
  past: readonly RunEvent[]
  /** Recorded right after the beginning. */
  warnings: string[]
  env: NodeJS.ProcessEnv
  frontend: Frontend
  /** What the frontend announces of it. */
  rows: string[][]
  /** More listeners, after those of the frontend. */
  listeners?: Listener[]
  /** Where its processes may run, if not with the runners of ralph. */
  runners?: RunnerRegistry
  /** What the user said with `ralph build --resume`. */
  instruction?: string
  /** The agent that the user chose for a resumed run. */
  newAgent?: ResumedAgent
}

const LINGER_MS = 10_000

/** Hosts a run in this process until it ends or stops, and gives the exit code. The caller holds the run's lock. */
export async function hostRun(options: HostOptions): Promise<number> {
  const { home, id, workflow, spec, past } = options
  const { project } = spec
  const makeRunner = runnerFor(options.runners ?? runners, spec.settings.sandbox.mode)
  const notes: string[] = []
  const session = openSession(
    spec.sessions ?? project,
    id,
    { id, project, workflow: spec.workflow, ...workflow.about(spec), agent: redactWords(spec.agent.argv) },
    note => notes.push(note),
    past,
    spec.sessions !== undefined || spec.worktrees === true,
  )
  const dir = past.length > 0 ? runDir(home, id) : makeRunDir(home, id)
  dropMemo(dir, LEFT)
  if (past.length === 0) options.warnings.push(...keepDirtyFiles(spec, dir))
  const title = `ralph ${workflow.command} ${id}`
  const rows = [...options.rows, ['session', session.shown(session.dir)]]
  options.frontend.announce(title, rows, spec.settings.output)
  const run = openRun(options, makeRunner, session, notes, dir)
  try {
    recordBeginning(run.book, run.active, options, pinFolder(project))
    const ending = await runEngine(run, options)
    await noteEndState(spec, dir, options.env)
    return runExitCode(ending, options, run.active, run.audience.settled)
  } finally {
    run.active.close?.()
    process.off('exit', run.atExit)
    await closeGround(run)
  }
}

/** Who hears of a run's events. What is opened after the book joins when it is there. */
type Audience = {
  /** Parts of the run itself: if one fails, the run stops. */
  parts: { onEvent?(event: RunEvent): void }[]
  watchers: Listener[]
  /** The watchers that failed, which hear nothing more. */
  failed: Set<Listener>
  /** Warnings of the session, which are recorded after the next event. */
  notes: string[]
  /** The last iteration that was settled. */
  settled: Settled | null
  /** Nothing may be recorded any more. */
  isOver: boolean
}

function tell(audience: Audience, event: RunEvent, record: Book['record']): void {
  if (event.type === 'settled') audience.settled = event
  if (event.type === 'finished' || event.type === 'stopped') audience.isOver = true
  for (const part of audience.parts) part.onEvent?.(event)
  for (const watcher of audience.watchers) {
    if (audience.failed.has(watcher)) continue
    try {
      watcher.onEvent(event)
    } catch (error) {
      audience.failed.add(watcher)
      const note = `a display of this run failed and was turned off: ${(error as Error).message}`
      record({ type: 'warned', at: event.at, note })
    }
  }
  for (const note of audience.notes.splice(0)) record({ type: 'warned', at: event.at, note })
}

/** What a run stands on, whatever its workflow. All of it must be closed again. */
type Ground = {
  dir: string
  session: Session
  journal: Journal
  audience: Audience
  book: Book
  controls: ReturnType<typeof receiveControls>
  runner: RunRunner
  frontSignals: ReturnType<Frontend['openSignals']>
}

/** A run that is open in this process. */
type OpenRun = Ground & { adapters: Adapters; active: Active; atExit(): void }

/** Opens the parts of a run in order: each needs only those before it. */
function openRun(
  options: HostOptions,
  makeRunner: MakeRunner,
  session: Session,
  notes: string[],
  dir: string,
): OpenRun {
  const ground = openGround(options, makeRunner, session, notes, dir)
  try {
    const adapters = adaptersOn(ground, options)
    ground.audience.watchers.push(...watchersOf(ground, options))
    const active = options.workflow.open(contextFor(ground, adapters, options))
    ground.audience.parts.push(active)
    // A third signal exits at once, without any `finally`.
    const atExit = () => active.close?.()
    process.on('exit', atExit)
    return { ...ground, adapters, active, atExit }
  } catch (error) {
    // What is open would keep the process alive.
    void closeGround(ground)
    throw error
  }
}

function openGround(
  { home, id, workflow, spec, past, env, frontend }: HostOptions,
  makeRunner: MakeRunner,
  session: Session,
  notes: string[],
  dir: string,
): Ground {
  const frontSignals = frontend.openSignals()
  const journal = requireWritable(dir, 'free some space or fix its permissions, and try again', () =>
    openJournal(dir),
  )
  const settled = past.findLast(e => e.type === 'settled') ?? null
  const audience: Audience = {
    parts: [session],
    watchers: [],
    failed: new Set(),
    notes,
    settled,
    isOver: false,
  }
  const append = (event: RunEvent) => journal.append({ ...event, up: Math.round(performance.now()) })
  const book = openBook(workflow.table(spec), fold(past), append, (event, record) =>
    tell(audience, event, record),
  )
  const controls = receiveControls(dir, past, processRef(process.pid), ({ type }) => {
    const note = `a request to ${type} was meant for an earlier process of this run, and is ignored`
    book.record({ type: 'warned', at: Date.now(), note })
  })
  const sandbox = sandboxOf({ id, spec, home, runDir: dir, env, book, isOver: () => audience.isOver })
  if (sandbox)
    audience.parts.push({ onEvent: event => event.type === 'allowed' && sandbox.allow(event.host) })
  const runner = makeRunner({ run: id, graceMs: spec.settings.killGrace * 1000, ...(sandbox && { sandbox }) })
  return { dir, session, journal, audience, book, controls, runner, frontSignals }
}

async function closeGround({ audience, runner, controls, journal, session, frontSignals }: Ground) {
  const closing = audience.watchers.map(watcher => watcher.close?.())
  try {
    await Promise.all([runner.close(), ...closing])
  } finally {
    controls.close()
    journal.close()
    session.close()
    frontSignals.close()
  }
}

function adaptersOn(
  { dir, session, audience, book, runner, frontSignals: { signals } }: Ground,
  { home, workflow, spec, past, env }: HostOptions,
): Adapters {
  const drained = () => audience.watchers.map(watcher => watcher.drained?.()).find(Boolean) ?? null
  return openAdapters({
    ...{ home, workflow, spec, env, runner, session, book, runDir: dir, hard: signals.hard },
    ...lastCommits(past, book.state),
    isFresh: past.length === 0,
    backPressure: backPressure(drained, spec.settings.inactivityTimeout * 1000, signals.soft),
  })
}

function watchersOf({ dir, book, frontSignals }: Ground, options: HostOptions): Listener[] {
  return [
    ...options.frontend.watch(viewOf(options, book, dir, frontSignals.stopSoon)),
    ...(options.listeners ?? []),
    openNotifier(options, note => book.record({ type: 'warned', at: Date.now(), note })),
  ]
}

/** What a workflow gets from its run. */
function contextFor(
  { dir, session, book, frontSignals: { signals, interrupt } }: Ground,
  { workspaces, worktrees }: Adapters,
  { workflow, spec, limits, past, env, frontend }: HostOptions,
): Context {
  const { record, table } = book
  return {
    ...{ spec, table, limits, session, past, record, interrupt, runDir: dir },
    journal: () => readJournal(dir),
    user: frontend.user(signals.soft),
    run: () => book,
    note: (key, value, task) =>
      record({
        ...{ type: 'noted', at: Date.now(), workflow: workflow.name, key, value },
        ...(task !== undefined && { task }),
      }),
    env: gitEnvironment(spec.settings, env),
    locks: workspaces.project.locks,
    worktrees: () => worktrees!,
  }
}

/** Runs the engine until the run ends or stops. */
function runEngine(
  { book, active, adapters, runner, controls, frontSignals: { signals } }: OpenRun,
  { spec, past }: HostOptions,
): Promise<LoopEnding> {
  const { settings } = spec
  const timeouts = {
    inactivityMs: settings.inactivityTimeout * 1000,
    screenMs: settings.screenInactivityTimeout * 1000,
    iterationMs: settings.iterationTimeout * 1000,
    lingerMs: LINGER_MS,
  }
  const ports = composePorts({ spec, runner, book, adapters, active, controls })
  const again = past.length > 0
  return runLoop(book, ports, { timeouts, signals, baseline: settings.baseline, again })
}
