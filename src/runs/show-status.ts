import { UsageError } from '../core/usage-error.ts'
import { visibleJson } from '../core/visible.ts'
import { heldElsewhere } from '../store/lock.ts'
import type { Registry } from '../workflows/index.ts'
import { findRun, latestRun, ralphHome } from './find.ts'
import type { Io } from './io.ts'
import { isLive } from './live.ts'
import { projectOf } from './project.ts'
import { statusLines, statusOf } from './status.ts'

export type StatusOptions = { projectDir?: string; json?: boolean }

export function showStatus(
  registry: Registry,
  name: string | undefined,
  options: StatusOptions,
  { stdout, env }: Io,
): number {
  const home = ralphHome(env)
  const project = name === undefined ? projectOf(options.projectDir, env) : ''
  const run = name === undefined ? latestRun(home, project) : findRun(home, name)
  if (!run) throw new UsageError(`no run in ${project} yet; start one with: ralph run`)
  const now = Date.now()
  const status = statusOf(registry, run.events, isLive(run), now, heldElsewhere(home, run.id))
  stdout.write(
    options.json ? `${visibleJson(JSON.stringify(status))}\n` : `${statusLines(status, now).join('\n')}\n`,
  )
  return 0
}
