import { existsSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import type { RunEvent } from '../core/events.ts'
import { fold } from '../core/evolve.ts'
import type { Control } from '../core/ports.ts'
import { cancelTask, isCancelled } from '../core/reopen.ts'
import { findTaskId, type TaskId } from '../core/task.ts'
import { UsageError } from '../core/usage-error.ts'
import { processRunner } from '../runners/process/process.ts'
import { sendControl } from '../store/control.ts'
import { openJournal, readJournal } from '../store/journal.ts'
import { phaseOf } from '../view/report/phase.ts'
import { plainLine } from '../view/text/plain.ts'
import { workflowIn, workflows } from '../workflows/index.ts'
import { readBase } from '../workflows/spec.ts'
import { canGoOn, findRun, latestUnfinished, matchingRuns, ralphHome, type StoredRun } from './find.ts'
import { type Io, say, type Writer } from './io.ts'
import { hostOf, isLive } from './live.ts'
import { projectOf } from './project.ts'
import { withLocks } from './with-locks.ts'
import { refuseFromWithin, senderOf } from './within.ts'
import { readWorker } from './worker-record.ts'

export type SteerOptions = { projectDir?: string }

export async function pauseRun(name: string | undefined, options: SteerOptions, io: Io): Promise<number> {
  const run = runFor(name, options, io.env)
  refuseFromWithin(run, io.env)
  if (!isLive(run)) throw new UsageError(`run ${run.id} is not at work; there is nothing to pause`)
  switch (await sendAndAwait(run, 'pause', io.env)) {
    case 'unread':
      return notYet(run, 'pause', io.stderr)
    case 'over':
      throw new UsageError(`run ${run.id} has ended meanwhile; there is nothing to pause`)
    default:
      return say(
        io.stdout,
        `paused run ${run.id}: its agent finishes, then it waits for: ralph resume ${run.id}`,
      )
  }
}

/** If no process hosts the run, or the one that did dies meanwhile, it is ended in its journal. */
export async function cancelRun(named: string | undefined, options: SteerOptions, io: Io): Promise<number> {
  const [name, ...words] = named?.split('/') ?? []
  if (words.length > 0) {
    const worker = name ? readWorker(ralphHome(io.env), name) : null
    return cancelTaskOf(runFor(worker?.run ?? (name || undefined), options, io.env), words.join('/'), io)
  }
  const run = runFor(name, options, io.env)
  refuseFromWithin(run, io.env)
  if (!canGoOn(run.events)) throw new UsageError(`run ${run.id} is already finished`)
  const heard = isLive(run) ? await sendAndAwait(run, 'cancel', io.env) : 'over'
  if (heard === 'unread') return notYet(run, 'cancel', io.stderr)
  if (heard === 'read') {
    say(
      io.stderr,
      `run ${run.id} has read the request, and is still ending its processes; see: ralph status ${run.id}`,
    )
    return 1
  }
  const last = readJournal(run.dir).findLast(e => e.type === 'finished' || e.type === 'resumed')
  if (last?.type !== 'finished' || last.result !== 'cancelled')
    await withStoppedRun(ralphHome(io.env), run, async events => {
      await endLeftovers(run, events)
      const why = 'cancelled'
      const from = senderOf(io.env)
      record(run, { type: 'finished', at: Date.now(), result: 'cancelled', proof: null, why, from })
    })
  return say(io.stdout, `cancelled run ${run.id}`)
}

/** One task of a run; the others go on. */
async function cancelTaskOf(run: StoredRun, word: string, io: Io): Promise<number> {
  refuseFromWithin(run, io.env)
  if (!canGoOn(run.events)) throw new UsageError(`run ${run.id} is already finished`)
  const { tasks, state } = fold(run.events)
  const id = findTaskId(tasks, word)
  const known = id === null ? null : (state.taskStates[id] ?? null)
  if (id === null) throw new UsageError(`run ${run.id} has no task ${word}; see: ralph status ${run.id}`)
  if (known?.stage === 'done') throw new UsageError(`${id} is already completed`)
  if (known && isCancelled(known)) throw new UsageError(`${id} is already cancelled`)
  if (isLive(run)) {
    const request = sendRequest(run, { type: 'drop', task: id }, io.env)
    if (!(await within(READ_MS, () => !existsSync(request)))) return notYet(run, 'cancel a task', io.stderr)
  } else
    await withStoppedRun(ralphHome(io.env), run, events => {
      const now = fold(events)
      const workflow = workflowIn(workflows, run)
      const table = workflow.table(workflow.readSpec(run.began.pins))
      const task = now.tasks.find(each => each.id === id)
      const edit = cancelTask(table, now.state, task, Date.now())
      if (edit) record(run, { ...edit, from: senderOf(io.env) })
    })
  return say(io.stdout, `cancelled ${plainLine(id)} of run ${run.id}; the other tasks continue`)
}

/** How long a run has to read a request before the sender says that it has not. */
const READ_MS = 2000
/** What ending a run takes beyond the grace of its agent. */
const END_MS = 10_000
const POLL_MS = 50

/**
 * Sends a request and waits until it is obeyed, within limits. `unread`: the run has not read it yet. `read`: it has, and
 * is still at work. `over`: no process hosts the run any more. To pause is obeyed once it is read, to cancel once it is over.
 */
export async function sendAndAwait(
  run: StoredRun,
  type: 'pause' | 'cancel',
  env: NodeJS.ProcessEnv,
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

export function notYet(run: StoredRun, what: string, to: Writer): number {
  const pid = hostOf(run)?.pid
  say(
    to,
    `run ${run.id} has not obeyed yet: process ${pid} does not read the request to ${what}; it will once it runs again, see: ralph status ${run.id}`,
  )
  return 1
}

/** `[RUN] [TASK] TEXT`: the first of several words may name a run, and the next one a task. */
export async function tellRun(words: string[], options: SteerOptions, io: Io): Promise<number> {
  const isNamed = words.length > 1 && looksLikeRun(words[0]!, ralphHome(io.env))
  const run = runFor(isNamed ? words[0] : undefined, options, io.env)
  const [first = '', ...rest] = isNamed ? words.slice(1) : words
  const task = rest.length > 0 ? findTaskId(fold(run.events).tasks, first) : null
  const text = (task === null ? [first, ...rest] : rest).join(' ')
  const instruction = { text, ...(task !== null && { task }) }
  refuseFromWithin(run, io.env)
  if (!canGoOn(run.events)) throw new UsageError(`run ${run.id} is finished; no agent would read it`)
  if (text.trim() === '') throw new UsageError('the instruction is empty')
  if (isLive(run)) return tellLive(run, instruction, io.stdout, io.env)
  const from = senderOf(io.env)
  await withStoppedRun(ralphHome(io.env), run, () =>
    record(run, { type: 'told', at: Date.now(), ...instruction, from }),
  )
  return confirmInstruction(run, instruction, io.stdout)
}

/**
 * An id has a date and three characters at its end. A word that could be part of one must be: as text, a mistyped id
 * would go to another run. So must an empty one, as from a variable that was never set.
 */
const looksLikeRun = (word: string, home: string): boolean =>
  /^(?:\s*|(?=.*\d)[\da-z-]{3,})$/.test(word) ||
  readWorker(home, word) !== null ||
  (word.length > 2 && matchingRuns(home, word).length > 0)

type Instruction = { text: string; task?: TaskId }

export function tellLive(run: StoredRun, told: Instruction, to: Writer, env: NodeJS.ProcessEnv): number {
  sendRequest(run, { type: 'tell', ...told }, env)
  return confirmInstruction(run, told, to)
}

function confirmInstruction({ id }: StoredRun, { task }: Instruction, to: Writer): number {
  const where = task === undefined ? 'its prompts' : `the prompts of ${plainLine(task)}`
  return say(to, `told run ${id}; the instruction is in ${where} from the next iteration on`)
}

/** Lets a live run that is paused or waits go on. */
export function wakeRun(run: StoredRun, to: Writer, env: NodeJS.ProcessEnv): number {
  if (phaseOf(run.events, fold(run.events).state, true, Date.now()) === 'waiting') {
    sendRequest(run, { type: 'retry' }, env)
    return say(to, `run ${run.id} no longer waits: it tries again now`)
  }
  // Send it even if the run is at work, because it may have been asked to pause a moment ago.
  sendRequest(run, { type: 'resume' }, env)
  return say(to, `resumed run ${run.id}`)
}

export function runFor(name: string | undefined, options: SteerOptions, env: NodeJS.ProcessEnv): StoredRun {
  const home = ralphHome(env)
  const project = projectOf(options.projectDir, env)
  if (name !== undefined) return findRun(home, name, project)
  const run = latestUnfinished(home, project)
  if (!run) throw new UsageError(`no unfinished run in ${project}; ralph ls --all lists the others`)
  return run
}

/** Sends a request to the process that hosts the run now: a later one is not to be paused or cancelled by it. */
export const sendRequest = (run: StoredRun, control: Control, env: NodeJS.ProcessEnv): string =>
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

export function record({ dir }: Pick<StoredRun, 'dir'>, ...events: RunEvent[]): void {
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
