import { UsageError } from '../../../core/usage-error.ts'
import { resumeRun } from '../../../host/resume.ts'
import { canGoOn, findRun, ralphHome, runsIn, type StoredRun } from '../../../runs/find.ts'
import type { Io } from '../../../runs/io.ts'
import { projectOf } from '../../../runs/project.ts'
import { isUndone } from '../../../view/report/ending.ts'
import { buildWorkflow } from '../../../workflows/build/workflow.ts'
import { workflows } from '../../../workflows/index.ts'
import { isOf } from '../../../workflows/traits.ts'
import type { BuildOptions } from '../../verbs/run.ts'
import { hostResumed } from '../watch/run-screen.ts'

/** Options that are fixed when a run begins, so a resume cannot change them. */
const KEPT = ['check', 'refine', 'yes', 'planOnly', 'tasks', 'branch', 'dryRun', 'once'] as const

/** `ralph build --resume ID ["instruction"]` */
export async function resumeBuild(
  name: string,
  instruction: string | null,
  options: BuildOptions,
  agentCommand: readonly string[],
  io: Io,
): Promise<number> {
  if (agentCommand.length > 0)
    throw new UsageError('-- COMMAND cannot be used with --resume; name another agent with -a')
  const kept = KEPT.find(option => options[option] !== undefined)
  if (kept)
    throw new UsageError(
      `--${kept.replace(/[A-Z]/g, c => `-${c.toLowerCase()}`)} cannot be used with --resume: a run keeps the rules it began with`,
    )
  if (instruction?.trim() === '') throw new UsageError('the instruction is empty')
  const home = ralphHome(process.env)
  const project = projectOf(options.projectDir, process.env)
  try {
    return await hostResumed(options, io, frontend =>
      resumeRun(buildOf(home, project, name), options, { registry: workflows, io, frontend }, instruction),
    )
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    throw new UsageError(`${error.message}; ${others(home, project)}`, { cause: error })
  }
}

function buildOf(home: string, project: string, name: string): StoredRun {
  const run = findRun(home, name)
  if (!isOf(buildWorkflow, run)) throw new UsageError(`run ${run.id} is not a build`)
  if (run.began.project !== project)
    throw new UsageError(`run ${run.id} belongs to another folder, ${run.began.project}`)
  return run
}

const MOST_NAMED = 5

function others(home: string, project: string): string {
  const ids = runsIn(home, project)
    .filter(run => isOf(buildWorkflow, run) && canGoOn(run.events) && !isUndone(run.events))
    .map(run => run.id)
    .reverse()
    .slice(0, MOST_NAMED)
  return ids.length > 0 ? `builds here that can go on: ${ids.join(', ')}` : 'no build here can go on'
}
