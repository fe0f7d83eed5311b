import { type ResumeOptions, resumeByName as resumeRunIn } from '../../../host/resume.ts'
import { type Io, printAnswer } from '../../../runs/io.ts'
import { hasWorker, steer } from '../../../workers/steer.ts'
import { workflows } from '../../../workflows/index.ts'
import { hostResumed } from './run-screen.ts'
import { watchRuns } from './watch-runs.ts'

/** `ralph resume`: a worker goes on in the background, another run in this terminal. */
export async function resumeAny(name: string | undefined, options: ResumeOptions, io: Io): Promise<number> {
  if (!hasWorker(name, io.env))
    return hostResumed(options, io, frontend =>
      resumeRunIn(name, options, { registry: workflows, io, frontend }),
    )
  const code = printAnswer(await steer(name, 'resume', io.env, options), io)
  return options.tui && code === 0 ? watchRuns(name, io) : code
}
