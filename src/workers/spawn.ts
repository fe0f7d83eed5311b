import { rmSync } from 'node:fs'
import { UsageError } from '../core/usage-error.ts'
import { agentOf } from '../host/agents/agents.ts'
import { type Entered, type Launch, launchHere, type ReadyRun } from '../host/start.ts'
import { isAlive, processRef } from '../runners/process/proc.ts'
import { requireTmux } from '../runners/tmux/server.ts'
import { windowName } from '../runners/tmux/window.ts'
import { type Io, say } from '../runs/io.ts'
import { refuseFromWithinAny } from '../runs/within.ts'
import { readWorker, type WorkerRecord, workerDir } from '../runs/worker-record.ts'
import type { Settings } from '../settings/schema.ts'
import { acquireNameLock } from '../store/lock.ts'
import { print } from '../terminal/print.ts'
import { isUndone } from '../view/report/ending.ts'
import { pinsOf } from '../workflows/spec.ts'
import { changeRecord, makeWorkerDir, setFolderAside, writeRecord } from './folder.ts'
import { workerListeners } from './frontend.ts'
import { START_MS, startSupervisor, writeOrder } from './handshake.ts'
import { lookAtWorker } from './look.ts'
import { nameProblem, randomName } from './rules/names.ts'
import { abandonWorktree, makeWorktree, type Worktree } from './worktree.ts'

export type SpawnOptions = {
  /** The name of the worker. Absent if ralph is to choose one. */
  name?: string
  /** Keep the loop in this terminal. */
  foreground?: boolean
  /** Work in a worktree of its own. */
  worktree?: boolean
}

/** Checks what can be checked before anything else happens. */
export function checkSpawn({ name, foreground }: SpawnOptions, home: string, env: NodeJS.ProcessEnv): void {
  const problem = name === undefined ? null : nameProblem(name)
  if (problem !== null) throw new UsageError(`--name ${name}: ${problem}`)
  if (!foreground) requireTmux(env.PATH ?? '')
  refuseFromWithinAny(home, env, 'start a worker')
  if (name !== undefined) refuseTaken(home, name)
}

/** The name that was given, or one that no worker has. */
export const nameFor = ({ name }: SpawnOptions, home: string): string =>
  name ?? randomName(Math.random, other => readWorker(home, other) !== null)

/** How a run becomes a worker, in a worktree of its own if that was asked for. */
export function workerLaunch(
  options: SpawnOptions & { name: string },
  io: Io,
): { launch: Launch; enter?: (project: string, settings: Settings) => Promise<Entered> } {
  if (!options.worktree) return { launch: run => launchWorker(options, run, io) }
  let worktree: Worktree | undefined
  return {
    async enter(project, settings) {
      const made = await makeWorktree(options.name, project, settings, io.env)
      worktree = made.worktree
      return made.entered
    },
    async launch(run) {
      try {
        return await launchWorker(options, run, io, worktree)
      } catch (error) {
        if (worktree && error instanceof UsageError)
          await abandonWorktree(worktree, run.spec.settings, io.env)
        throw error
      }
    },
  }
}

/** In the background, or with its files kept while it runs in this terminal. */
async function launchWorker(
  options: SpawnOptions & { name: string },
  run: ReadyRun,
  io: Io,
  worktree?: Worktree,
): Promise<number> {
  const { home } = run
  const { name } = options
  const lock = acquireNameLock(home, name, { ...processRef(process.pid), run: run.id }, isAlive)
  try {
    refuseTaken(home, name)
    const putBack = setFolderAside(home, name)
    const record = { ...recordOf(run, name, options), ...(worktree && { worktree }) }
    makeWorkerDir(home, name)
    writeRecord(home, record)
    if (options.foreground) {
      lock.release()
      return await hostInForeground(run, record)
    }
    await begin(run, record, putBack)
    const { iterations } = run.limits
    const of = iterations === null ? '' : `/${iterations}`
    io.stdout.write(`spawned ${name} (tmux: ${record.window}) [ralph mode: iteration 1${of}]\n`)
    if (worktree) io.stdout.write(`worktree: ${worktree.path} on branch ${worktree.branch}\n`)
    say(io.stdout, 'it keeps running without this terminal; to look at it:')
    say(io.stdout, `  ralph attach ${name}`)
    say(io.stdout, `  ralph logs ${name} --follow`)
    return 0
  } finally {
    lock.release()
  }
}

const recordOf = (run: ReadyRun, name: string, { foreground }: SpawnOptions): WorkerRecord => ({
  v: 1,
  name,
  run: run.id,
  project: run.spec.project,
  command: run.workflow.command,
  watched: !foreground && agentOf(run.spec).plain ? 'screen' : 'stream',
  window: foreground ? null : windowName(name),
  spawned: Date.now(),
  starter: processRef(process.pid),
  deadline: Date.now() + START_MS,
  supervisor: null,
})

async function begin(run: ReadyRun, record: WorkerRecord, putBack: () => void): Promise<void> {
  const { home, id, workflow, spec, limits, warnings, shared } = run
  const dir = workerDir(home, record.name)
  const pins = pinsOf(workflow, spec)
  writeOrder(dir, { type: 'begin', run: id, workflow: workflow.name, pins, limits, warnings, shared })
  try {
    await startSupervisor(dir, record.name, run.env, supervisor => changeRecord(home, record, { supervisor }))
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    // Nothing has begun: the name is as it was before.
    rmSync(dir, { recursive: true, force: true })
    putBack()
    throw error
  }
}

async function hostInForeground(run: ReadyRun, record: WorkerRecord): Promise<number> {
  const { home, workflow, spec, frontend } = run
  const dir = workerDir(home, record.name)
  changeRecord(home, record, { supervisor: record.starter })
  const exit = await launchHere({
    ...run,
    frontend: {
      ...frontend,
      watch: view => [
        ...frontend.watch(view),
        ...workerListeners({ home, dir, record, workflow, spec, past: [] }, view, print),
      ],
    },
  })
  changeRecord(home, record, { exit })
  return exit
}

/** A name is taken until its worker has ended: a paused or crashed worker can continue. */
function refuseTaken(home: string, name: string): void {
  const record = readWorker(home, name)
  if (!record) return
  const { phase, events } = lookAtWorker(home, record)
  if (phase === 'stopped' || phase === 'failed') return
  // It crashed before it began, or was undone: there is nothing to continue.
  if (phase === 'crashed' && (events.length === 0 || isUndone(events))) return
  const wayOut =
    phase === 'crashed' || phase === 'paused'
      ? `continue with: ralph resume ${name}; or end it first: ralph kill ${name}`
      : `choose another --name, or end it first: ralph kill ${name}`
  throw new UsageError(`worker '${name}' ${phase === 'crashed' ? 'has crashed' : `is ${phase}`}; ${wayOut}`)
}
