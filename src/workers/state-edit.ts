import { join } from 'node:path'
import { fold } from '../core/evolve.ts'
import { findRun } from '../runs/find.ts'
import { record as recordIn, withStoppedRun } from '../runs/steer.ts'
import { type WorkerRecord, workerDir } from '../runs/worker-record.ts'
import { LIMITS, textAt } from '../store/files/read.ts'
import { FILES } from './folder.ts'
import { lookAt, type WorkerLook } from './look.ts'
import { readEdit } from './rules/state.ts'

/** Records the number of iterations that somebody wrote into the state file while no process hosted the worker. */
export async function adoptEditedLimit(home: string, record: WorkerRecord): Promise<void> {
  const text = textAt(join(workerDir(home, record.name), FILES.state), { limit: LIMITS.small })
  const edit = text === null ? { error: 'it is gone' } : readEdit(text)
  const iterations = 'error' in edit ? undefined : edit.maxIterations
  if (iterations === undefined || iterations === null) return
  if (iterations === lastWritten(lookAt(home, record))) return
  const run = findRun(home, record.run)
  await withStoppedRun(home, run, events => {
    const limits = { ...fold(events).state.limits, iterations }
    recordIn(run, { type: 'limits', at: Date.now(), limits, by: 'file' })
  })
}

/** What the last supervisor wrote. A limit that was set without one is not in the file. */
const lastWritten = ({ events }: WorkerLook): number | null =>
  fold(events.filter(event => event.type !== 'limits' || event.request !== undefined)).state.limits.iterations
