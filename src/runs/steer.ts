import { existsSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import type { RunEvent } from '../core/events.ts'
import { fold } from '../core/evolve.ts'
import type { Control } from '../core/ports.ts'
import { cancelTask, isCancelled } from '../core/reopen.ts'
import type { TaskId } from '../core/task.ts'
import { UsageError } from '../core/usage-error.ts'
import { processRunner } from '../runners/process/process.ts'
import { sendControl } from '../store/control.ts'
import { openJournal, readJournal } from '../store/journal.ts'
import { runPhase } from '../view/report/ending.ts'
import { plainLine } from '../view/text/plain.ts'
import { workflowIn, workflows } from '../workflows/index.ts'
import { readBase } from '../workflows/spec.ts'
import { canGoOn, findRun, latestUnfinished, ralphHome, type StoredRun } from './find.ts'
import { type Answer, obeyed } from './io.ts'
import { hostOf, isLive } from './live.ts'
import { projectOf } from './project.ts'
import { withLocks } from './with-locks.ts'
import { refuseFromWithin, senderOf } from './within.ts'

export type SteerOptions = { projectDir?: string }

/** How long a run has to read a request before the sender says that it has not. */
const READ_MS = 2000
/** What ending a run takes beyond the grace of its agent. */
const END_MS = 10_000
const POLL_MS = 50

type Env = NodeJS.ProcessEnv

/** The run of this name. Without one: the latest unfinished run of the project. */
export function runFor(name: string | undefined, options: SteerOptions, env: Env): StoredRun {
  const home = ralphHome(env)
  const project = projectOf(options.projectDir, env)
  if (name !== undefined) return findRun(home, name)
  const run = latestUnfinished(home, project)
  if (!run) throw new UsageError(`no unfinished run in ${project}; ralph ls --all lists the others`)
  return run
}

/** Its agent finishes, and no other is started. */
export async function pauseRun(run: StoredRun, env: Env): Promise<Answer> {
  const refused = (why: string) => new UsageError(`run ${run.id} ${why}; there is nothing to pause`)
  refuseFromWithin(run, env)
  if (!isLive(run)) throw refused('is not at work')
  const heard = await sendAndAwait(run, 'pause', env)
  if (heard === 'unread') return unread(run, 'pause')
  if (heard === 'over') throw refused('has ended meanwhile')
  return obeyed(`paused run ${run.id}: its agent finishes, then it waits for: ralph resume ${run.id}`)
}

/** Lets a live run that is paused or waits go on. */
export async function wakeRun(run: StoredRun, env: Env): Promise<Answer> {
  refuseFromWithin(run, env)
  if (!isLive(run)) throw new UsageError(`no process hosts it; in a terminal: ralph resume ${run.id} --tui`)
  if (runPhase(run.events, fold(run.events).state, true, Date.now()) === 'waiting') {
    sendRequest(run, { type: 'retry' }, env)
    return obeyed(`run ${run.id} no longer waits: it tries again now`)
  }
  // Send it even if the run is at work, because it may have been asked to pause a moment ago.
  sendRequest(run, { type: 'resume' }, env)
  return obeyed(`resumed run ${run.id}`)
}

/** Ends a run for good. If no process hosts it, or the one that did dies meanwhile, it is ended in its journal. */
export async function cancelRun(run: StoredRun, env: Env): Promise<Answer> {
  const { id, dir } = run
  requireOpen(run, 'is already finished', env)
  const heard = isLive(run) ? await sendAndAwait(run, 'cancel', env) : 'over'
  if (heard === 'unread') return unread(run, 'cancel')
  if (heard === 'read') {
    const text = `run ${id} has read the request, and is still ending its processes; see: ralph status ${id}`
    return { type: 'late', text }
  }
  const last = readJournal(dir).findLast(e => e.type === 'finished' || e.type === 'resumed')
  if (last?.type !== 'finished' || last.result !== 'cancelled')
    await withStoppedRun(ralphHome(env), run, async events => {
      await endLeftovers(run, events)
      const why = 'cancelled'
      const from = senderOf(env)
      appendEvents(run, { type: 'finished', at: Date.now(), result: 'cancelled', proof: null, why, from })
    })
  return obeyed(`cancelled run ${id}`)
}

/** Cancels one task of a run. The others go on. */
export async function dropTask(run: StoredRun, task: TaskId, env: Env): Promise<Answer> {
  requireOpen(run, 'is already finished', env)
  const known = fold(run.events).state.taskStates[task]
  if (known?.stage === 'done') throw new UsageError(`${task} is already completed`)
  if (known && isCancelled(known)) throw new UsageError(`${task} is already cancelled`)
  const request = await sendOrRecord(run, { type: 'drop', task }, env, events => {
    const { tasks, state } = fold(events)
    const workflow = workflowIn(workflows, run)
    const table = workflow.table(workflow.readSpec(run.began.pins))
    return cancelTask(
      table,
      state,
      tasks.find(({ id }) => id === task),
      Date.now(),
    )
  })
  // An agent may be at work on it.
  if (request !== null && !(await within(READ_MS, () => !existsSync(request))))
    return unread(run, 'cancel a task')
  return obeyed(`cancelled ${plainLine(task)} of run ${run.id}; the other tasks continue`)
}

/** Adds an instruction to all later prompts, or to those of one task. */
export async function tellRun(run: StoredRun, text: string, task: TaskId | null, env: Env): Promise<Answer> {
  requireOpen(run, 'is finished; no agent would read it', env)
  if (text.trim() === '') throw new UsageError('the instruction is empty')
  const instruction = { text, ...(task !== null && { task }) }
  await sendOrRecord(run, { type: 'tell', ...instruction }, env, () => ({
    type: 'instructed',
    at: Date.now(),
    ...instruction,
  }))
  const where = task === null ? 'its prompts' : `the prompts of ${plainLine(task)}`
  return obeyed(`told run ${run.id}; the instruction is in ${where} from the next iteration on`)
}

/** Sets another limit of iterations. Other limits of the run stay as they are. */
export async function limitRun(run: StoredRun, iterations: number, env: Env): Promise<Answer> {
  requireOpen(run, 'is finished; its limits no longer matter', env)
  const { n } = fold(run.events).state
  if (iterations < n)
    throw new UsageError(
      `run ${run.id} has used ${n} iterations already; max-iterations must be at least ${n}`,
    )
  await sendOrRecord(run, { type: 'limit', iterations }, env, events => {
    const limits = { ...fold(events).state.limits, iterations }
    return { type: 'limits', at: Date.now(), limits }
  })
  return obeyed(`run ${run.id} may use ${iterations} iterations, all counted`)
}

/** Lets a run reach a host that its sandbox refused. */
export async function allowHost(run: StoredRun, host: string, env: Env): Promise<Answer> {
  requireOpen(run, 'is finished; nothing would use it', env)
  if (!['srt', 'docker'].includes(readBase(run.began.pins).settings.sandbox.mode))
    throw new UsageError(`run ${run.id} works without a sandbox; it may reach any host`)
  await sendOrRecord(run, { type: 'allow', host }, env, () => ({ type: 'allowed', at: Date.now(), host }))
  return obeyed(`run ${run.id} may reach ${host} from now on`)
}

function requireOpen(run: StoredRun, otherwise: string, env: Env): void {
  refuseFromWithin(run, env)
  if (!canGoOn(run.events)) throw new UsageError(`run ${run.id} ${otherwise}`)
}

/** Sends a request to the process that hosts the run, and returns its path. Null if there is none: it is in the journal. */
async function sendOrRecord(
  run: StoredRun,
  control: Control,
  env: Env,
  eventOf: (events: readonly RunEvent[]) => Change | null,
): Promise<string | null> {
  if (isLive(run)) return sendRequest(run, control, env)
  await withStoppedRun(ralphHome(env), run, events => {
    const event = eventOf(events)
    if (event) appendEvents(run, { ...event, from: senderOf(env) })
  })
  return null
}

type Change = Extract<RunEvent, { type: 'instructed' | 'limits' | 'allowed' | 'edited' }>

function unread(run: StoredRun, what: string): Answer {
  const { id } = run
  const pid = hostOf(run)?.pid
  const text = `run ${id} has not responded: process ${pid} is not reading requests (stopped?). The request to ${what} stays queued; see: ralph status ${id}`
  return { type: 'late', text }
}

/**
 * Sends a request and waits until it is obeyed, within limits. `unread`: the run has not read it yet. `read`: it has, and
 * is still at work. `over`: no process hosts the run any more. To pause is obeyed once it is read, to cancel once it is
 * over.
 */
async function sendAndAwait(
  run: StoredRun,
  type: 'pause' | 'cancel',
  env: Env,
): Promise<'unread' | 'read' | 'over'> {
  const request = sendRequest(run, { type }, env)
  const isOver = () => !isLive({ ...run, events: readJournal(run.dir) })
  if (!(await within(READ_MS, () => !existsSync(request) || isOver()))) return 'unread'
  if (type === 'pause') return isOver() ? 'over' : 'read'
  const graceMs = readBase(run.began.pins).settings.killGrace * 1000
  return (await within(graceMs + END_MS, isOver)) ? 'over' : 'read'
}

async function within(ms: number, holds: () => boolean): Promise<boolean> {
  for (const end = performance.now() + ms; performance.now() < end; await delay(POLL_MS))
    if (holds()) return true
  return holds()
}

/** Sends a request to the process that hosts the run now: a later one is not to be paused or cancelled by it. */
export const sendRequest = (run: StoredRun, control: Control, env: Env): string =>
  sendControl(run.dir, control, Date.now(), { to: hostOf(run), from: senderOf(env) })

/**
 * Acts on a run that no process hosts, while holding its lock, with its journal read again. Throws if another process
 * has taken the run in the meantime.
 */
export const withStoppedRun = <T>(
  home: string,
  { id, dir, began: { project } }: StoredRun,
  act: (events: RunEvent[]) => T | Promise<T>,
): Promise<T> =>
  withLocks({ home, id, project, shared: true }, () => {
    const events = readJournal(dir)
    if (!canGoOn(events)) throw new UsageError(`run ${id} has finished meanwhile`)
    return act(events)
  })

/** Appends events to the journal of a run that no process hosts. */
export function appendEvents({ dir }: Pick<StoredRun, 'dir'>, ...events: RunEvent[]): void {
  const journal = openJournal(dir)
  try {
    for (const event of events) journal.append(event)
  } finally {
    journal.close()
  }
}

/** If a crash also killed the warden, an agent may still be at work, and nothing else would ever end it. */
async function endLeftovers({ id, began }: StoredRun, events: RunEvent[]): Promise<void> {
  const { settings } = readBase(began.pins)
  const runner = processRunner({ run: id, graceMs: settings.killGrace * 1000 })
  await runner.reap(Object.values(fold(events).state.flight).flatMap(step => step.ref ?? []))
  await runner.close()
}
