import { UsageError } from '../core/usage-error.ts'
import { type ProcessRunner, processRunner } from './process/process.ts'
import { paneRunner } from './tmux/pane-runner.ts'
import type { WorkerWindow } from './tmux/window.ts'

/** Starts the agents and checks of one run, and ends what they leave running. */
export type RunRunner = ProcessRunner

/** Makes the runner of a run. `graceMs`: how long a process has to exit after TERM. */
export type MakeRunner = (options: { run: string; graceMs: number }) => RunRunner

/** Runners by the `sandbox.mode` that chooses them. */
export type RunnerRegistry = ReadonlyMap<string, MakeRunner>

/** All runners: so far only processes on this machine, without a sandbox. */
export const runners: RunnerRegistry = new Map([
  ['auto', processRunner],
  ['none', processRunner],
])

/** The same for a worker: what prints for people runs in its window. `folderFor`: where a run keeps the files of its calls. */
export const runnersIn = (window: WorkerWindow, folderFor: (run: string) => string): RunnerRegistry =>
  new Map([...runners.keys()].map(mode => [mode, paneRunner(window, folderFor)]))

export function runnerFor(registry: RunnerRegistry, mode: string): MakeRunner {
  const make = registry.get(mode)
  if (!make) throw new UsageError(`sandbox.mode: ralph has no runner for "${mode}"`)
  return make
}
