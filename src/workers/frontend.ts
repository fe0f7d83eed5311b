import type { RunEvent } from '../core/events.ts'
import type { Frontend, Listener, RunView } from '../host/frontend.ts'
import { listenToSignals } from '../host/process-frontend.ts'
import { processRef } from '../runners/process/proc.ts'
import { runDir } from '../runs/find.ts'
import type { WorkerRecord } from '../runs/worker-record.ts'
import { sendControl } from '../store/control.ts'
import { printError } from '../terminal/print.ts'
import { table } from '../view/text/table.ts'
import type { RunSpec } from '../workflows/spec.ts'
import type { Workflow } from '../workflows/workflow.ts'
import { keepLogs } from './logs.ts'
import type { WorkerLoop } from './rules/lines.ts'
import { evolveState, firstState, type WorkerFacts } from './rules/state.ts'
import { keepState } from './state-file.ts'
import { appendToView } from './view-log.ts'

/** A worker whose run is hosted in this process. */
export type HostedWorker = {
  home: string
  dir: string
  record: WorkerRecord
  workflow: Workflow
  spec: RunSpec
  past: readonly RunEvent[]
}

/** No terminal: what happens goes to the worker's files. Nobody can be asked. */
export function workerFrontend(worker: HostedWorker, onBegun: () => void): Frontend {
  const { dir } = worker
  return {
    announce(title, rows) {
      appendToView(dir, [title, ...table(rows, { margin: '  ' })])
    },
    preview() {},
    watch: run => [
      ...workerListeners(worker, run),
      {
        onEvent(event) {
          if (event.type === 'began' || event.type === 'resumed') onBegun()
        },
      },
    ],
    user: () => null,
    openSignals() {
      // It has no terminal that could go away.
      const listening = listenToSignals(printError, ['SIGHUP'])
      return { ...listening, interrupt: () => void process.emit('SIGTERM') }
    },
  }
}

/** What keeps a worker's files, wherever its run is shown. `onSaid`: also gets the lines about its loop. */
export function workerListeners(
  { home, dir, record, workflow, spec, past }: HostedWorker,
  run: RunView,
  onSaid?: (line: string) => void,
): Listener[] {
  const { name } = record
  const loop = workflow.loop?.(spec) ?? { promptFile: null, donePattern: null, isDoneByPattern: false }
  const inactivity = inactivityOf(record, spec)
  const facts: WorkerFacts = {
    worker_name: name,
    prompt_file: loop.promptFile,
    done_pattern: loop.donePattern,
    inactivity_timeout: inactivity,
  }
  const inLoop: WorkerLoop = { name, inactivityTimeout: inactivity, byPattern: loop.isDoneByPattern }
  const state = keepState({
    dir,
    state: past.reduce(evolveState, firstState(facts, run.iterations, Date.now())),
    onLimit: iterations => {
      const to = processRef(process.pid)
      sendControl(runDir(home, record.run), { type: 'limit', iterations, by: 'file' }, Date.now(), { to })
    },
    onGone: run.stop,
    onBroken: printError,
  })
  // The logs come last: who reads there that something happened finds it in the state, too.
  return [state, keepLogs(dir, inLoop, past, run, onSaid)]
}

export const inactivityOf = ({ watched }: Pick<WorkerRecord, 'watched'>, { settings }: RunSpec): number =>
  watched === 'screen' ? settings.screenInactivityTimeout : settings.inactivityTimeout
