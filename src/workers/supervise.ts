import { join } from 'node:path'
import { UsageError } from '../core/usage-error.ts'
import { factRows } from '../host/facts.ts'
import type { Frontend } from '../host/frontend.ts'
import { resumeRun } from '../host/resume.ts'
import { launchHere } from '../host/start.ts'
import { runnersIn } from '../runners/index.ts'
import { tmuxServer } from '../runners/tmux/server.ts'
import { openView, type WorkerWindow } from '../runners/tmux/window.ts'
import { findRun, ralphHome, runDir } from '../runs/find.ts'
import type { Io } from '../runs/io.ts'
import { readWorker, type WorkerRecord, workerDir } from '../runs/worker-record.ts'
import { workflowIn, workflows } from '../workflows/index.ts'
import { changeRecord, FILES } from './folder.ts'
import { workerFrontend } from './frontend.ts'
import { answerStarter, type LaunchOrder, takeOrder } from './handshake.ts'
import { appendToView } from './view-log.ts'

/** The process of a worker: hosts its run as a foreground process would, with files in place of a terminal. */
export async function superviseWorker(name: string, io: Io): Promise<number> {
  const home = ralphHome(io.env)
  const starter = answerStarter()
  try {
    const dir = workerDir(home, name)
    const record = readWorker(home, name)
    if (!record) throw new UsageError(`no worker '${name}' in ${home}`)
    const order = takeOrder(dir)
    const window = { server: tmuxServer(home, io.env), name, view: join(dir, FILES.view) }
    if (record.window !== null) {
      appendToView(dir, [])
      await openView(window)
    }
    const exit = await host({ home, record, order, io, window, onBegun: starter.begun })
    changeRecord(home, record, { exit })
    return exit
  } catch (error) {
    starter.failed(error as Error)
    // Its log is the one place where somebody looks for this.
    io.stderr.write(`${new Date().toISOString()} ${(error as Error).stack}\n`)
    throw error
  }
}

type HostWorkerOptions = {
  home: string
  record: WorkerRecord
  order: LaunchOrder
  io: Io
  window: WorkerWindow
  onBegun(): void
}

function host({ home, record, order, io, window, onBegun }: HostWorkerOptions): Promise<number> {
  const dir = workerDir(home, record.name)
  const runners = runnersIn(window, run => join(runDir(home, run), 'pane'))
  if (order.type === 'resume') {
    const run = findRun(home, order.run)
    const workflow = workflowIn(workflows, run)
    const spec = workflow.readSpec(run.began.pins)
    const frontend = workerFrontend({ home, dir, record, workflow, spec, past: run.events }, onBegun)
    return resumeRun(run, order, { registry: workflows, io, frontend, runners })
  }
  const workflow = workflowIn(workflows, { id: order.run, began: order })
  const spec = workflow.readSpec(order.pins)
  const frontend: Frontend = workerFrontend({ home, dir, record, workflow, spec, past: [] }, onBegun)
  const { run: id, limits, warnings, shared } = order
  const rows = factRows(workflow, spec, limits)
  const env = io.env
  return launchHere({ home, id, workflow, spec, limits, warnings, env, frontend, rows, shared, runners })
}
