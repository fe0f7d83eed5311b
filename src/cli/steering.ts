import { processFrontend } from '../host/process-frontend.ts'
import { type ResumeOptions, resumeRun as resumeRunIn } from '../host/resume.ts'
import type { Io } from '../runs/io.ts'
import { cancelRun as cancelRunOf, pauseRun as pauseRunOf, type SteerOptions } from '../runs/steer.ts'
import { cancelWorker, hasWorker, pauseWorker, resumeWorker } from '../workers/steer.ts'
import { workflows } from '../workflows/index.ts'

// A worker is steered by its name, another run by its id.

export const pauseRun = (name: string | undefined, options: SteerOptions, io: Io): Promise<number> =>
  hasWorker(name, io.env) ? pauseWorker(name, io) : pauseRunOf(name, options, io)

export const cancelRun = (name: string | undefined, options: SteerOptions, io: Io): Promise<number> =>
  hasWorker(name, io.env) ? cancelWorker(name, io) : cancelRunOf(name, options, io)

export const resumeRun = (name: string | undefined, options: ResumeOptions, io: Io): Promise<number> =>
  hasWorker(name, io.env)
    ? resumeWorker(name, options, io)
    : resumeRunIn(name, options, { registry: workflows, io, frontend: processFrontend(options) })
