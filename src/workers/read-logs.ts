import { setTimeout as delay } from 'node:timers/promises'
import { UsageError } from '../core/usage-error.ts'
import { findRun, ralphHome } from '../runs/find.ts'
import type { Io } from '../runs/io.ts'
import { workerDir } from '../runs/worker-record.ts'
import { sessionDir } from '../store/session.ts'
import { wrapStyled } from '../view/text/fit.ts'
import { withoutColours } from '../view/text/width.ts'
import { readBase } from '../workflows/spec.ts'
import { workerNamed } from './folder.ts'
import { lookAtWorker } from './look.ts'
import { partOf } from './rules/lines.ts'
import { followView, MOST_BYTES, readView } from './view-log.ts'

export type LogsOptions = { follow?: boolean; iteration?: number }

/** Prints what a worker's window shows. `--follow` goes on until the worker has ended. */
export async function printLogs(name: string, options: LogsOptions, io: Io): Promise<number> {
  const home = ralphHome(io.env)
  const record = workerNamed(home, name)
  const dir = workerDir(home, name)
  const print = (text: string) => {
    if (text !== '') io.stdout.write(styled(text, io))
  }
  if (options.iteration !== undefined) {
    const part = partOf(readView(dir), name, options.iteration)
    if (part === null) throw new UsageError(missing(home, record, options.iteration))
    print(part)
    return 0
  }
  const view = followView(dir)
  try {
    print(view.next())
    while (options.follow) {
      const { isAtWork } = lookAtWorker(home, record)
      await delay(POLL_MS)
      print(view.next())
      if (!isAtWork) break
    }
    return 0
  } finally {
    view.close()
  }
}

const POLL_MS = 200

/** Colours, and lines broken at words, are for a terminal. */
function styled(text: string, { stdout }: Io): string {
  if (!stdout.isTTY) return withoutColours(text)
  const columns = stdout.columns || 80
  return text
    .split('\n')
    .flatMap(line => wrapStyled(line, columns))
    .join('\n')
}

/** An iteration that is long over may have left the log. */
function missing(home: string, record: ReturnType<typeof workerNamed>, n: number): string {
  const { name, run } = record
  const { current_iteration: last } = lookAtWorker(home, record).state
  if (n > last) return `worker '${name}' has no iteration ${n} yet; its last one is ${last}`
  const { project, sessions = project } = readBase(findRun(home, run).began.pins)
  const kept = `${(2 * MOST_BYTES) / 1024 / 1024} MB`
  return `iteration ${n} of worker '${name}' is no longer in its log, which keeps the last ${kept}; its files are in ${sessionDir(sessions, run)}`
}
