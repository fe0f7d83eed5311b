import { setTimeout as delay } from 'node:timers/promises'
import { UsageError } from '../core/usage-error.ts'
import type { ResumeOptions } from '../host/resume.ts'
import { isAlive, processRef } from '../runners/process/proc.ts'
import { requireTmux, tmuxServer } from '../runners/tmux/server.ts'
import { closeWindow } from '../runners/tmux/window.ts'
import { canGoOn, findRun, ralphHome, runDir } from '../runs/find.ts'
import { type Io, say } from '../runs/io.ts'
import { cancelRun, notYet, sendAndAwait, wakeRun } from '../runs/steer.ts'
import { refuseFromWithin, refuseFromWithinAny, senderOf } from '../runs/within.ts'
import { readWorker, type WorkerRecord } from '../runs/worker-record.ts'
import { sendControl } from '../store/control.ts'
import { acquireNameLock } from '../store/lock.ts'
import { isUndone } from '../view/report/ending.ts'
import { readBase } from '../workflows/spec.ts'
import { workerNamed } from './find.ts'
import { changeRecord, makeWorkerDir, removeWorker } from './folder.ts'
import { START_MS, startSupervisor } from './handshake.ts'
import { writeOrder } from './launch-file.ts'
import { lookAt, type WorkerLook } from './look.ts'
import { adoptEditedLimit } from './state-edit.ts'
import { removeMerged } from './worktree.ts'

const POLL_MS = 50
/** What a supervisor has to leave once its run has ended. */
const LEAVE_MS = 10_000

const warn = (io: Io, line: string): number => say(io.stderr, `ralph: warning: ${line}`)

function look(name: string, io: Io): WorkerLook {
  const home = ralphHome(io.env)
  const found = lookAt(home, workerNamed(home, name))
  if (found.events.length > 0) refuseFromWithin(findRun(home, found.record.run), io.env)
  else refuseFromWithinAny(home, io.env, 'steer a worker')
  return found
}

/** Sends its agent nothing: it finishes, and no other is started. */
export async function pauseWorker(name: string, io: Io): Promise<number> {
  const { record, phase } = look(name, io)
  if (phase === 'paused') return warn(io, `worker '${name}' is already paused`)
  if (phase === 'starting') {
    await pauseStarting(record, io)
    return say(io.stdout, `paused ralph loop for ${name}`)
  }
  if (phase !== 'running' && phase !== 'waiting')
    throw new UsageError(`worker '${name}' is ${ended(phase)}; there is nothing to pause`)
  const run = findRun(ralphHome(io.env), record.run)
  const heard = await sendAndAwait(run, 'pause', io.env)
  if (heard === 'unread') return notYet(run, 'pause', io.stderr)
  if (heard === 'over')
    throw new UsageError(`worker '${name}' has ended meanwhile; there is nothing to pause`)
  return say(io.stdout, `paused ralph loop for ${name}`)
}

/** Its supervisor reads the request before it starts an agent. */
async function pauseStarting(record: WorkerRecord, io: Io): Promise<void> {
  const home = ralphHome(io.env)
  const to = await supervisorOf(home, record)
  const dir = runDir(home, record.run)
  sendControl(dir, { type: 'pause' }, Date.now(), { to, from: senderOf(io.env) })
}

/** The supervisor of a worker that is being started: in a moment it is known. */
async function supervisorOf(home: string, { name, run }: WorkerRecord) {
  for (const end = performance.now() + START_MS; performance.now() < end; await delay(POLL_MS)) {
    const now = readWorker(home, name)
    if (now?.run !== run) break
    if (now.supervisor) return now.supervisor
  }
  throw new UsageError(`worker '${name}' was not started; see: ralph status ${name}`)
}

const ended = (phase: WorkerLook['phase']) => (phase === 'crashed' ? 'crashed' : `${phase} (ended)`)

/** Lets a worker go on: by a request if a process hosts it, else by a new supervisor. The count of iterations goes on. */
export async function resumeWorker(name: string, options: ResumeOptions, io: Io): Promise<number> {
  const { record, phase, isAtWork, events } = look(name, io)
  const home = ralphHome(io.env)
  const again = `start it again with: ralph spawn --name ${name} …`
  if (phase === 'starting') return warn(io, `worker '${name}' is not paused; it is starting`)
  if (phase === 'running') return warn(io, `worker '${name}' is not paused`)
  if (events.length === 0) throw new UsageError(`worker '${name}' crashed before it began; ${again}`)
  const run = findRun(home, record.run)
  if (!canGoOn(run.events)) throw new UsageError(`worker '${name}' has ended; ${again}`)
  if (isUndone(run.events)) throw new UsageError(`worker '${name}' was undone; ${again}`)
  if (isAtWork) wakeRun(run, { write: () => {} }, io.env)
  else await goOn(home, record, options, io)
  return say(io.stdout, `resumed ralph loop for ${name}`)
}

async function goOn(home: string, record: WorkerRecord, options: ResumeOptions, io: Io): Promise<void> {
  const { name, run } = record
  requireTmux(io.env.PATH ?? '')
  const lock = acquireNameLock(home, name, { ...processRef(process.pid), run }, isAlive)
  try {
    const dir = makeWorkerDir(home, name)
    const { maxIterations, maxCost, maxTokens, maxTime, shared = false } = options
    if (maxIterations === undefined) await adoptEditedLimit(home, record)
    writeOrder(dir, {
      type: 'resume',
      run,
      shared,
      ...(maxIterations !== undefined && { maxIterations }),
      ...(maxCost !== undefined && { maxCost }),
      ...(maxTokens !== undefined && { maxTokens }),
      ...(maxTime !== undefined && { maxTime }),
    })
    const starting = { starter: processRef(process.pid), deadline: Date.now() + START_MS, supervisor: null }
    changeRecord(home, record, { ...starting, exit: undefined })
    await startSupervisor(dir, name, io.env, supervisor => changeRecord(home, record, { supervisor }))
  } catch (error) {
    // It is as it was before, with the exit code that `wait` goes by.
    changeRecord(home, record, record)
    throw error
  } finally {
    lock.release()
  }
}

export async function cancelWorker(name: string, io: Io): Promise<number> {
  const code = await endRun(name, io)
  return code === 0 ? say(io.stdout, `cancelled ${name}`) : (code ?? 0)
}

export type KillOptions = { rmWorktree?: boolean }

/** Ends a worker for good, whatever it does, and closes its window. Its changes are kept. */
export async function killWorker(name: string, { rmWorktree }: KillOptions, io: Io): Promise<number> {
  const home = ralphHome(io.env)
  const { worktree, run } = workerNamed(home, name)
  if (rmWorktree && !worktree) throw new UsageError(`worker '${name}' has no worktree of its own`)
  const code = await endRun(name, io)
  if (code) return code
  await closeWindow(tmuxServer(home, io.env), name)
  if (code === 0) say(io.stdout, `killed ${name}`)
  if (!rmWorktree || !worktree) return 0
  const { settings } = readBase(findRun(home, run).began.pins)
  const kept = await removeMerged(worktree, settings, io.env)
  if (kept === null) return say(io.stdout, `removed ${worktree.path} and branch ${worktree.branch}`)
  warn(io, `the worktree ${worktree.path} is kept: ${kept}`)
  return 1
}

/** Ends its run and waits for its process, so that nothing is left of it. null: it had ended before, and that was told. */
async function endRun(name: string, io: Io): Promise<number | null> {
  const code = await cancelWhatRuns(name, io)
  const supervisor = readWorker(ralphHome(io.env), name)?.supervisor
  if (!code && supervisor) await endProcess(supervisor, LEAVE_MS)
  return code
}

async function cancelWhatRuns(name: string, io: Io): Promise<number | null> {
  const home = ralphHome(io.env)
  const { record, phase, events } = look(name, io)
  const quiet: Io = { ...io, stdout: { write: () => {} } }
  if (events.length === 0) {
    if (phase === 'starting') await endProcess(await supervisorOf(home, record))
    // It may have begun in the last moment.
    if (lookAt(home, record).events.length === 0) return 0
  }
  const run = findRun(home, record.run)
  if (!canGoOn(run.events)) {
    warn(io, `worker '${name}' has already ended`)
    return null
  }
  const code = await cancelRun(run.id, { projectDir: record.project }, quiet)
  if (code === 0) return 0
  // It does not read its requests: end it without asking, then note that in its journal.
  const { supervisor } = workerNamed(home, name)
  if (supervisor) await endProcess(supervisor)
  return cancelRun(run.id, { projectDir: record.project }, quiet)
}

/** `graceMs`: how long it has to end by itself. */
async function endProcess(ref: NonNullable<WorkerRecord['supervisor']>, graceMs = 0): Promise<void> {
  // A worker may run in this very process.
  const isOther = () => ref.pid !== process.pid && isAlive(ref)
  for (const end = performance.now() + graceMs; isOther(); await delay(POLL_MS))
    if (performance.now() >= end) process.kill(ref.pid, 'SIGKILL')
}

/** Forgets a worker: its folder and its window go, its run stays and is found by its id. */
export async function forgetWorker(name: string, io: Io): Promise<number> {
  const home = ralphHome(io.env)
  const { record, phase, isAtWork } = look(name, io)
  if (isAtWork) throw new UsageError(`worker '${name}' is ${phase}; end it first: ralph kill ${name}`)
  await closeWindow(tmuxServer(home, io.env), name)
  removeWorker(home, name)
  return say(io.stdout, `removed ${name}; its run is ${record.run}`)
}

export const hasWorker = (name: string | undefined, env: NodeJS.ProcessEnv): name is string =>
  name !== undefined && readWorker(ralphHome(env), name) !== null
