import { setTimeout as delay } from 'node:timers/promises'
import { UsageError } from '../core/usage-error.ts'
import { ralphHome } from '../runs/find.ts'
import type { Io } from '../runs/io.ts'
import { allWorkers } from '../runs/worker-record.ts'
import { workerNamed } from './folder.ts'
import { lookAtWorker } from './look.ts'

export type WaitOptions = { all?: boolean; timeout?: number }

const POLL_MS = 200
const TIMED_OUT = 124

/** Waits until workers have ended: 0 all well, 1 one of them not, 124 out of time. A paused one has not ended. */
export async function waitForWorkers(
  names: readonly string[],
  { all = false, timeout }: WaitOptions,
  io: Io,
): Promise<number> {
  const home = ralphHome(io.env)
  if (all === names.length > 0) throw new UsageError('give the names of workers, or --all')
  const wanted = all ? allWorkers(home).map(({ name }) => name) : names
  for (const name of wanted) workerNamed(home, name)
  const deadline = timeout === undefined ? Number.POSITIVE_INFINITY : performance.now() + timeout * 1000
  for (;;) {
    const looks = wanted.map(name => lookAtWorker(home, workerNamed(home, name)))
    const open = looks.filter(look => !look.isOver)
    if (open.length === 0) return tellEnd(looks.filter(look => !isWell(look)).map(nameOf), io)
    if (performance.now() >= deadline) {
      io.stderr.write(`timeout; still running: ${open.map(nameOf).join(', ')}\n`)
      return TIMED_OUT
    }
    await delay(POLL_MS)
  }
}

/** Silent if all went well. */
function tellEnd(failed: readonly string[], { stderr }: Io): number {
  if (failed.length === 0) return 0
  stderr.write(`ended without being done: ${failed.join(', ')}; see: ralph status ${failed[0]}\n`)
  return 1
}

const nameOf = ({ record }: ReturnType<typeof lookAtWorker>): string => record.name
const isWell = ({ record }: ReturnType<typeof lookAtWorker>): boolean => record.exit === 0
