import { UsageError } from '../core/usage-error.ts'
import { type ProcessRunner, processRunner } from './process/process.ts'

/** Starts the agents and checks of one run, and ends what they leave behind. */
export type RunRunner = ProcessRunner

/** How a runner is made: `run` and `graceMs` are those of the run. */
export type MakeRunner = (options: { run: string; graceMs: number }) => RunRunner

/** Runners by the `sandbox.mode` that chooses them. */
export type RunnerRegistry = ReadonlyMap<string, MakeRunner>

/** The runners of ralph: so far processes on this machine, with no sandbox around them. */
export const runners: RunnerRegistry = new Map([
  ['auto', processRunner],
  ['none', processRunner],
])

export function runnerFor(registry: RunnerRegistry, mode: string): MakeRunner {
  const make = registry.get(mode)
  if (!make) throw new UsageError(`sandbox.mode: ralph has no runner for "${mode}"`)
  return make
}
