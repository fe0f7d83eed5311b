import { visibleJson } from '../core/visible.ts'
import { heldElsewhere } from '../store/lock.ts'
import type { Registry } from '../workflows/index.ts'
import { ralphHome } from './find.ts'
import type { Io } from './io.ts'
import { isLive } from './live.ts'
import { chooseRun } from './past-run.ts'
import { statusLines, statusOf } from './status.ts'

export type StatusOptions = { projectDir?: string; json?: boolean }

export function showStatus(
  registry: Registry,
  name: string | undefined,
  options: StatusOptions,
  { stdout, env }: Io,
): number {
  const home = ralphHome(env)
  const run = chooseRun(name, options.projectDir, env)
  const now = Date.now()
  const status = statusOf(registry, run.events, isLive(run), now, heldElsewhere(home, run.id))
  stdout.write(
    options.json
      ? `${visibleJson(JSON.stringify(status))}\n`
      : `${statusLines(status, now, stdout.isTTY ? stdout.columns || 80 : null).join('\n')}\n`,
  )
  return 0
}
