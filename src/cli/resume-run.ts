import { fold } from '../core/evolve.ts'
import { UsageError } from '../core/usage-error.ts'
import type { Limits } from '../core/workflow.ts'
import { canGoOn, findRun, latestUnfinished, ralphHome, type StoredRun } from '../store/runs.ts'
import { announce } from './announce.ts'
import type { ResumeOptions } from './commands/resume.ts'
import { conduct } from './conduct.ts'
import type { Plan } from './plan.ts'
import { projectOf } from './project.ts'
import { isLive, wakeRun } from './steer-run.ts'

/** Goes on with a run under the rules it began with. */
export async function resumeRun(name: string | undefined, options: ResumeOptions): Promise<number> {
  const env = process.env
  const home = ralphHome(env)
  const run = name === undefined ? latest(home, projectOf(options.projectDir)) : findRun(home, name)
  if (!canGoOn(run.events)) throw new UsageError(`run ${run.id} is finished; there is nothing to resume`)
  if (isLive(run)) return wakeRun(run)
  const limits = limitsFor(run, options.maxIterations)
  const plan = run.began.pins as Plan
  const loud = { json: options.json ?? false, quiet: options.quiet ?? false }
  return conduct({
    home,
    id: run.id,
    plan,
    limits,
    past: run.events,
    warnings: [],
    announce: () => loud.json || loud.quiet || announce(run.id, plan, env),
    shared: options.shared ?? false,
    loud,
    env,
  })
}

function latest(home: string, project: string): StoredRun {
  const run = latestUnfinished(home, project)
  if (!run) throw new UsageError(`no unfinished run in ${project}; start one with: ralph run`)
  return run
}

/** The limits the run was left with; `-m` replaces the one on iterations, which must leave room. */
function limitsFor({ id, events }: StoredRun, maxIterations: number | undefined): Limits {
  const last = events.findLast(e => e.type === 'began' || e.type === 'resumed')
  const limits = {
    ...(last as { limits: Limits }).limits,
    ...(maxIterations && { iterations: maxIterations }),
  }
  const { n } = fold(events).state
  if (limits.iterations !== null && n >= limits.iterations)
    throw new UsageError(`run ${id} has used all ${n} of its iterations; raise the limit with -m ${n + 10}`)
  return limits
}
