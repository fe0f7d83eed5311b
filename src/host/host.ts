import type { ResumedAgent, RunEvent, Settled } from '../core/events.ts'
import { fold } from '../core/evolve.ts'
import { redactWords } from '../core/secrets/redact.ts'
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
import { openJournal, readJournal } from '../store/journal.ts'
import { dropNote } from '../store/notes.ts'
import { openSession, type Session } from '../store/session.ts'
import { gitEnvironment, type RunSpec } from '../workflows/spec.ts'
import type { Active, Workflow } from '../workflows/workflow.ts'
import { backPressure } from './back-pressure.ts'
import { type Frontend, type Listener, viewOf } from './frontend.ts'
import { openNotifier } from './notify.ts'
import { type Adapters, composePorts, openAdapters } from './ports.ts'
import { runExitCode } from './run-exit-code.ts'
import { sandboxOf } from './sandbox.ts'
import { keepDirtyFiles, lastCommits, noteEndState, recordBeginning } from './start-and-end.ts'

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
  /** Where its processes may run; absent: the runners of ralph. */
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
  dropNote(dir, LEFT)
  if (past.length === 0) options.warnings.push(...keepDirtyFiles(spec, dir))
  const title = `ralph ${workflow.command} ${id}`
  const rows = [...options.rows, ['session', session.shown(session.dir)]]
  options.frontend.announce(title, rows, spec.settings.output)
  const hosted = openRun(options, makeRunner, session, notes, dir)
  try {
    recordBeginning(hosted.book, hosted.active, options, pinFolder(project))
    const ending = await runEngine(hosted, options)
    await noteEndState(spec, dir, options.env)
    return runExitCode(ending, options, hosted.active, hosted.lastSettled())
  } finally {
    await hosted.close()
  }
}

/** A run that is open in this process: everything that must be closed again. */
type Hosted = {
  book: Book
  active: Active
  adapters(): Adapters
  runner: RunRunner
  controls: ReturnType<typeof receiveControls>
  signals: ReturnType<Frontend['openSignals']>['signals']
  /** The last iteration that was settled. */
  lastSettled(): Settled | null
  close(): Promise<void>
}

function openRun(
  options: HostOptions,
  makeRunner: MakeRunner,
  session: Session,
  notes: string[],
  dir: string,
): Hosted {
  const { home, id, workflow, spec, limits, past, env, frontend } = options
  const { signals, interrupt, stopSoon, close: closeSignals } = frontend.openSignals()
  const journal = requireWritable(dir, 'free some space or fix its permissions, and try again', () =>
    openJournal(dir),
  )
  const me = processRef(process.pid)
  const controls = receiveControls(dir, past, me, ({ type }) => {
    const note = `a request to ${type} was meant for an earlier process of this run, and is ignored`
    book.record({ type: 'warned', at: Date.now(), note })
  })
  let isOver = false
  const sandbox = sandboxOf({ id, spec, home, runDir: dir, env, run: () => book, isOver: () => isOver })
  const runner = makeRunner({ run: id, graceMs: spec.settings.killGrace * 1000, ...(sandbox && { sandbox }) })
  let settled: Settled | null = past.findLast(e => e.type === 'settled') ?? null
  let active: Active | null = null
  let watchers: readonly Listener[] = []
  /** Session files and workflow first: if they fail, the run stops. A watcher that fails is left out from then on. */
  const notify = (event: RunEvent) => {
    if (event.type === 'settled') settled = event
    if (event.type === 'allowed') sandbox?.allow(event.host)
    if (event.type === 'finished' || event.type === 'stopped') isOver = true
    session.onEvent(event)
    active?.onEvent?.(event)
    for (const watcher of watchers) {
      try {
        watcher.onEvent(event)
      } catch (error) {
        watchers = watchers.filter(other => other !== watcher)
        const note = `a display of this run failed and was turned off: ${(error as Error).message}`
        book.record({ type: 'warned', at: event.at, note })
      }
    }
    for (const note of notes.splice(0)) book.record({ type: 'warned', at: event.at, note })
  }
  const append = (event: RunEvent) => journal.append({ ...event, up: Math.round(performance.now()) })
  const book = openBook(workflow.table(spec), fold(past), append, notify)
  const drained = () => listeners.map(listener => listener.drained?.()).find(Boolean) ?? null
  const adapters = once(() =>
    openAdapters({
      workflow,
      spec,
      env,
      runner,
      session,
      run: () => book,
      emit: book.record,
      runDir: dir,
      home,
      hard: signals.hard,
      ...lastCommits(past, book.state),
      isFresh: past.length === 0,
      backPressure: backPressure(drained, spec.settings.inactivityTimeout * 1000, signals.soft),
    }),
  )
  const listeners = [
    ...frontend.watch(viewOf(options, book, dir, stopSoon)),
    ...(options.listeners ?? []),
    openNotifier(options, note => book.record({ type: 'warned', at: Date.now(), note })),
  ]
  watchers = listeners
  const closeAll = async () => {
    const closing = listeners.map(listener => listener.close?.())
    try {
      await Promise.all([runner.close(), ...closing])
    } finally {
      controls.close()
      journal.close()
      session.close()
      closeSignals()
    }
  }
  const opened = orClose(closeAll, () =>
    workflow.open({
      spec,
      table: book.table,
      limits,
      session,
      past,
      journal: () => readJournal(dir),
      user: frontend.user(signals.soft),
      run: () => book,
      record: book.record,
      note: (key, value, task) =>
        book.record({
          ...{ type: 'noted', at: Date.now(), workflow: workflow.name, key, value },
          ...(task !== undefined && { task }),
        }),
      interrupt,
      runDir: dir,
      env: gitEnvironment(spec.settings, env),
      // They are opened when the engine starts: a workflow asks and verifies during a step.
      ask: (question, step) => adapters().ask(question, step),
      locks: () => adapters().workspaces.project.locks(),
      worktrees: () => adapters().worktrees!,
    }),
  )
  active = opened
  // A third signal exits at once, without any `finally`.
  const atExit = () => opened.close?.()
  process.on('exit', atExit)
  return {
    book,
    active: opened,
    adapters,
    runner,
    controls,
    signals,
    lastSettled: () => settled,
    async close() {
      opened.close?.()
      process.off('exit', atExit)
      await closeAll()
    },
  }
}

/** What is open would keep the process alive after an error. */
function orClose<T>(close: () => Promise<void>, act: () => T): T {
  try {
    return act()
  } catch (error) {
    void close()
    throw error
  }
}

function once<T>(make: () => T): () => T {
  let made: { value: T } | null = null
  return () => {
    made ??= { value: make() }
    return made.value
  }
}

/** Runs the engine until the run ends or stops. */
function runEngine(hosted: Hosted, options: HostOptions): Promise<LoopEnding> {
  const { workflow, spec, past } = options
  const { book, active, runner, controls, signals } = hosted
  const { settings } = spec
  const timeouts = {
    inactivityMs: settings.inactivityTimeout * 1000,
    screenMs: settings.screenInactivityTimeout * 1000,
    iterationMs: settings.iterationTimeout * 1000,
    lingerMs: LINGER_MS,
  }
  const ports = composePorts({
    workflow,
    spec,
    runner,
    emit: book.record,
    adapters: hosted.adapters(),
    active,
    controls,
    isFirst: !past.some(event => event.type === 'started'),
  })
  const again = past.length > 0
  return runLoop(book, ports, { timeouts, signals, baseline: settings.baseline, again })
}
