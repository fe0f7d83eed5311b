import { safeJson } from '../core/visible.ts'
import { heldElsewhere } from '../store/lock.ts'
import { plainLine } from '../view/text/plain.ts'
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
  const details = registry.get(run.began.workflow)?.details?.(run.events)
  const width = stdout.isTTY ? stdout.columns || 80 : null
  const more = details?.lines.map(line => plainLine(line)) ?? []
  stdout.write(
    options.json
      ? `${safeJson({ ...status, ...(details && { details: details.data }) })}\n`
      : `${[...statusLines(status, now, width), ...more].join('\n')}\n`,
  )
  return 0
}
