import { existsSync } from 'node:fs'
import type { Env } from '../core/ports.ts'
import { UsageError } from '../core/usage-error.ts'
import type { EndSnapshot } from '../git/end-snapshot.ts'
import type { Start } from '../git/start.ts'
import { readMemo } from '../store/memos.ts'
import { gitEnvironment, readBase } from '../workflows/spec.ts'
import { findRun, latestRun, ralphHome, type StoredRun } from './find.ts'
import { projectOf, requireWorktree } from './project.ts'

/** The run of this name. Without one, the latest run of the folder, finished or not. */
export function chooseRun(
  name: string | undefined,
  projectDir: string | undefined,
  env: NodeJS.ProcessEnv,
): StoredRun {
  const home = ralphHome(env)
  const project = projectOf(projectDir, env)
  if (name !== undefined) return findRun(home, name)
  const run = latestRun(home, project)
  if (!run) throw new UsageError(`no run in ${project}; start one with: ralph run`)
  return run
}

/** What is needed to compare a run's start with its end. `env`: for git. */
export type PastRun = { run: StoredRun; start: Start; left: EndSnapshot | null; env: Env }

export function pastRun(run: StoredRun, env: NodeJS.ProcessEnv): PastRun {
  const { settings, start } = readBase(run.began.pins)
  if (!start)
    throw new UsageError(
      `run ${run.id} was not in a git repository, so it is not known what the files were before it`,
    )
  requireWorktree(run)
  if (!existsSync(start.root))
    throw new UsageError(`the repository of run ${run.id} is gone: ${start.root}; put it back`)
  return {
    run,
    start,
    left: readMemo<EndSnapshot>(run.dir, LEFT),
    env: gitEnvironment(settings, env),
  }
}

/** The memo that says how a run left the repository. */
export const LEFT = 'left'
