import { UsageError } from '../core/usage-error.ts'
import { type ProcessRunner, processRunner } from './process/process.ts'
import type { Sandbox } from './sandbox/sandbox.ts'
import { paneRunner } from './tmux/pane-runner.ts'
import type { WorkerWindow } from './tmux/window.ts'

/** Starts the agents and checks of one run, and ends what they leave running. */
export type RunRunner = ProcessRunner

/**
 * Makes the runner of a run. `graceMs`: how long a process has to exit after TERM. `sandbox`: that of the run, for a runner
 * that uses one.
 */
export type MakeRunner = (options: { run: string; graceMs: number; sandbox?: Sandbox }) => RunRunner

/** Runners by the `sandbox.mode` that chooses them. */
export type RunnerRegistry = ReadonlyMap<string, MakeRunner>

const direct: MakeRunner = ({ run, graceMs }) => processRunner({ run, graceMs })

const confined: MakeRunner = options => {
  if (!options.sandbox) throw new Error('a run in a sandbox needs one')
  return processRunner(options)
}

/** All runners. A run is begun with the mode that was chosen for it. */
export const runners: RunnerRegistry = new Map([
  ['none', direct],
  ['srt', confined],
  ['docker', confined],
])

/** The same for a worker: what prints for people runs in its window. `folderFor`: where a run keeps the files of its calls. */
export const runnersIn = (window: WorkerWindow, folderFor: (run: string) => string): RunnerRegistry =>
  new Map([...runners].map(([mode, make]) => [mode, paneRunner(make, window, folderFor)]))

export function runnerFor(registry: RunnerRegistry, mode: string): MakeRunner {
  const make = registry.get(mode)
  if (!make) throw new UsageError(`sandbox.mode: ralph has no runner for "${mode}"`)
  return make
}
