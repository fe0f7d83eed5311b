import type { Io } from '../runs/io.ts'
import { cancelRun as cancelRunOf, pauseRun as pauseRunOf, type SteerOptions } from '../runs/steer.ts'
import { cancelWorker, hasWorker, pauseWorker } from '../workers/steer.ts'

// A worker is steered by its name, another run by its id.

export const pauseRun = (name: string | undefined, options: SteerOptions, io: Io): Promise<number> =>
  hasWorker(name, io.env) ? pauseWorker(name, io) : pauseRunOf(name, options, io)

export const cancelRun = (name: string | undefined, options: SteerOptions, io: Io): Promise<number> =>
  hasWorker(name, io.env) ? cancelWorker(name, io) : cancelRunOf(name, options, io)
