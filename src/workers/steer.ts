import { setTimeout as delay } from 'node:timers/promises'
import { UsageError } from '../core/usage-error.ts'
import type { ResumeOptions } from '../host/resume.ts'
import { isAlive, processRef } from '../runners/process/proc.ts'
import { requireTmux, tmuxServer } from '../runners/tmux/server.ts'
import { closeWindow } from '../runners/tmux/window.ts'
import { canGoOn, findRun, ralphHome, runDir } from '../runs/find.ts'
import { type Answer, type Io, obeyed, printAnswer, say } from '../runs/io.ts'
import { cancelRun, pauseRun, runFor, wakeRun } from '../runs/steer.ts'
import { refuseFromWithin, refuseFromWithinAny, senderOf } from '../runs/within.ts'
import { readWorker, type WorkerRecord } from '../runs/worker-record.ts'
import { sendControl } from '../store/control.ts'
import { acquireNameLock } from '../store/lock.ts'
import { isUndone } from '../view/report/ending.ts'
import { readBase } from '../workflows/spec.ts'
import { changeRecord, makeWorkerDir, removeWorker, workerNamed } from './folder.ts'
import { START_MS, startSupervisor, writeOrder } from './handshake.ts'
import { lookAtWorker, type WorkerLook } from './look.ts'
import { adoptEditedLimit } from './state-file.ts'
import { removeMerged } from './worktree.ts'

const POLL_MS = 50
/** What a supervisor has to leave once its run has ended. */
const LEAVE_MS = 10_000

type Env = NodeJS.ProcessEnv

const STEER = { pause: pauseRun, resume: wakeRun, cancel: cancelRun }

/** Steers a worker by its name, or another run by its id. Without a name: the latest unfinished run of the project. */
export async function steer(
  name: string | undefined,
  verb: 'pause' | 'resume' | 'cancel' | 'kill',
  env: Env,
  options: ResumeOptions = {},
): Promise<Answer> {
  if (verb !== 'kill' && !hasWorker(name, env)) return STEER[verb](runFor(name, options, env), env)
  const found = lookToSteer(name ?? '', env)
  if (verb === 'pause') return pauseWorker(found, env)
  if (verb === 'resume') return resumeWorker(found, options, env)
  const { record } = found
  const answer = await endWorker(found, env)
  if (answer.type === 'late') return answer
  if (verb === 'kill') await closeWindow(tmuxServer(ralphHome(env), env), record.name)
  if (answer.type === 'unchanged') return answer
  return obeyed(`${verb === 'kill' ? 'killed' : 'cancelled'} ${record.name}`)
}

export const hasWorker = (name: string | undefined, env: Env): name is string =>
  name !== undefined && readWorker(ralphHome(env), name) !== null

function lookToSteer(name: string, env: Env): WorkerLook {
  const home = ralphHome(env)
  const found = lookAtWorker(home, workerNamed(home, name))
  if (found.events.length > 0) refuseFromWithin(findRun(home, found.record.run), env)
  else refuseFromWithinAny(home, env, 'steer a worker')
  return found
}

const unchanged = ({ record }: WorkerLook, why: string): Answer => ({
  type: 'unchanged',
  text: `worker '${record.name}' ${why}`,
})

/** Sends its agent nothing: it finishes, and no other is started. */
async function pauseWorker(found: WorkerLook, env: Env): Promise<Answer> {
  const { record, phase } = found
  const home = ralphHome(env)
  if (phase === 'paused') return unchanged(found, 'is already paused')
  if (phase === 'starting') {
    // Its supervisor reads the request before it starts an agent.
    const to = await supervisorOf(home, record)
    sendControl(runDir(home, record.run), { type: 'pause' }, Date.now(), { to, from: senderOf(env) })
  } else if (phase === 'running' || phase === 'waiting') {
    const answer = await pauseRun(findRun(home, record.run), env)
    if (answer.type === 'late') return answer
  } else {
    const ended = phase === 'crashed' ? 'crashed' : `${phase} (ended)`
    throw new UsageError(`worker '${record.name}' is ${ended}; there is nothing to pause`)
  }
  return obeyed(`paused ralph loop for ${record.name}`)
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

/** Lets a worker go on: by a request if a process hosts it, else by a new supervisor. The count of iterations goes on. */
async function resumeWorker(found: WorkerLook, options: ResumeOptions, env: Env): Promise<Answer> {
  const { record, phase, isAtWork, events } = found
  const home = ralphHome(env)
  const refused = (why: string) =>
    new UsageError(`worker '${record.name}' ${why}; start it again with: ralph spawn --name ${record.name} …`)
  if (phase === 'starting') return unchanged(found, 'is not paused; it is starting')
  if (phase === 'running') return unchanged(found, 'is not paused')
  if (events.length === 0) throw refused('crashed before it began')
  const run = findRun(home, record.run)
  if (!canGoOn(run.events)) throw refused('has ended')
  if (isUndone(run.events)) throw refused('was undone')
  if (isAtWork) await wakeRun(run, env)
  else await goOn(home, record, options, env)
  return obeyed(`resumed ralph loop for ${record.name}`)
}

async function goOn(home: string, record: WorkerRecord, options: ResumeOptions, env: Env): Promise<void> {
  const { name, run } = record
  requireTmux(env.PATH ?? '')
  const lock = acquireNameLock(home, name, { ...processRef(process.pid), run }, isAlive)
  try {
    const dir = makeWorkerDir(home, name)
    const { maxIterations, maxCost, maxTokens, maxTime, shared = false } = options
    if (maxIterations === undefined) await adoptEditedLimit(home, record)
    writeOrder(dir, { type: 'resume', run, shared, maxIterations, maxCost, maxTokens, maxTime })
    const starting = { starter: processRef(process.pid), deadline: Date.now() + START_MS, supervisor: null }
    changeRecord(home, record, { ...starting, exit: undefined })
    await startSupervisor(dir, name, env, supervisor => changeRecord(home, record, { supervisor }))
  } catch (error) {
    // It is as it was before, with the exit code that `wait` reads.
    changeRecord(home, record, record)
    throw error
  } finally {
    lock.release()
  }
}

/** Ends its run and waits for its process, so that nothing is left of it. */
async function endWorker(found: WorkerLook, env: Env): Promise<Answer> {
  const { record, phase, events } = found
  const home = ralphHome(env)
  if (events.length === 0 && phase === 'starting') await endProcess(await supervisorOf(home, record))
  // It may have begun in the last moment.
  const hasBegun = events.length > 0 || lookAtWorker(home, record).events.length > 0
  const answer = hasBegun ? await endRun(found, env) : obeyed('')
  const supervisor = readWorker(home, record.name)?.supervisor
  if (supervisor && answer.type !== 'late') await endProcess(supervisor, LEAVE_MS)
  return answer
}

async function endRun(found: WorkerLook, env: Env): Promise<Answer> {
  const { name, run } = found.record
  const home = ralphHome(env)
  if (!canGoOn(findRun(home, run).events)) return unchanged(found, 'has already ended')
  const answer = await cancelRun(findRun(home, run), env)
  if (answer.type !== 'late') return answer
  // It does not read its requests: end it without asking, then note that in its journal, unless it did so at last.
  const { supervisor } = workerNamed(home, name)
  if (supervisor) await endProcess(supervisor)
  const ended = findRun(home, run)
  return canGoOn(ended.events) ? cancelRun(ended, env) : obeyed('')
}

/** `graceMs`: how long it has to end by itself. */
async function endProcess(ref: NonNullable<WorkerRecord['supervisor']>, graceMs = 0): Promise<void> {
  // A worker may run in this very process.
  const isOther = () => ref.pid !== process.pid && isAlive(ref)
  for (const end = performance.now() + graceMs; isOther(); await delay(POLL_MS))
    if (performance.now() >= end) process.kill(ref.pid, 'SIGKILL')
}

export type KillOptions = { rmWorktree?: boolean }

/** Ends a worker for good, whatever it does, and closes its window. Its changes are kept. */
export async function killWorker(name: string, { rmWorktree }: KillOptions, io: Io): Promise<number> {
  const home = ralphHome(io.env)
  const { worktree, run } = workerNamed(home, name)
  if (rmWorktree && !worktree) throw new UsageError(`worker '${name}' has no worktree of its own`)
  const code = printAnswer(await steer(name, 'kill', io.env), io)
  if (code !== 0 || !rmWorktree || !worktree) return code
  const { settings } = readBase(findRun(home, run).began.pins)
  const kept = await removeMerged(worktree, settings, io.env)
  if (kept === null) return say(io.stdout, `removed ${worktree.path} and branch ${worktree.branch}`)
  say(io.stderr, `ralph: warning: the worktree ${worktree.path} is kept: ${kept}`)
  return 1
}

/** Forgets a worker: its folder and its window go, its run stays and is found by its id. */
export async function forgetWorker(name: string, io: Io): Promise<number> {
  const home = ralphHome(io.env)
  const { record, phase, isAtWork } = lookToSteer(name, io.env)
  if (isAtWork) throw new UsageError(`worker '${name}' is ${phase}; end it first: ralph kill ${name}`)
  await closeWindow(tmuxServer(home, io.env), name)
  removeWorker(home, name)
  return say(io.stdout, `removed ${name}; its run is ${record.run}`)
}
