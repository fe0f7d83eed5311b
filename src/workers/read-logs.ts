import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { UsageError } from '../core/usage-error.ts'
import { ralphHome } from '../runs/find.ts'
import type { Io } from '../runs/io.ts'
import { workerDir } from '../runs/worker-record.ts'
import { LIMITS, textAt } from '../store/files/read.ts'
import { workerNamed } from './find.ts'
import { FILES } from './folder.ts'
import { lookAt } from './look.ts'

export type LogsOptions = { follow?: boolean; iteration?: number }

/** Prints what a worker's window shows; `--follow` goes on until the worker has ended. */
export async function printLogs(name: string, options: LogsOptions, io: Io): Promise<number> {
  const home = ralphHome(io.env)
  const record = workerNamed(home, name)
  const path = join(workerDir(home, name), FILES.view)
  const text = () => textAt(path, { limit: LIMITS.own }) ?? ''
  if (options.iteration !== undefined) {
    const part = partOf(text(), name, options.iteration)
    if (part === null)
      throw new UsageError(`worker '${name}' has no iteration ${options.iteration} in its log`)
    io.stdout.write(styled(part, io))
    return 0
  }
  let printed = 0
  const printNew = () => {
    const all = text()
    const end = all.lastIndexOf('\n') + 1
    if (end < printed) printed = 0
    if (end > printed) io.stdout.write(styled(all.slice(printed, end), io))
    printed = end
  }
  printNew()
  if (!options.follow) return 0
  for (;;) {
    const { isAtWork } = lookAt(home, record)
    await delay(POLL_MS)
    printNew()
    if (!isAtWork) return 0
  }
}

const POLL_MS = 200

const styled = (text: string, { stdout }: Io): string => (stdout.isTTY ? text : text.replace(COLOURS, ''))

const COLOURS = new RegExp(`${String.fromCharCode(27)}\\[[0-9;]*m`, 'g')

/** From the line that begins an iteration to the one that begins the next. */
function partOf(text: string, name: string, n: number): string | null {
  const lines = text.split('\n')
  const starts = lines.map(line => {
    const found = new RegExp(`\\[ralph\\] ${name}: starting iteration (\\d+)`).exec(line)?.[1]
    return found === undefined ? null : Number(found)
  })
  const from = starts.lastIndexOf(n)
  if (from < 0) return null
  const next = starts.findIndex((start, at) => at > from && start !== null)
  return `${lines
    .slice(from, next < 0 ? undefined : next)
    .join('\n')
    .trimEnd()}\n`
}
