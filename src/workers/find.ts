import { UsageError } from '../core/usage-error.ts'
import { matchingRuns } from '../runs/find.ts'
import { allWorkers, readWorker, type WorkerRecord, workersDir } from '../runs/worker-record.ts'

/** The worker of this name; throws if there is none. */
export function workerNamed(home: string, name: string): WorkerRecord {
  const found = readWorker(home, name)
  if (found) return found
  if (matchingRuns(home, name).includes(name))
    throw new UsageError(`${name} is a run, not a worker; see: ralph status ${name}`)
  const names = allWorkers(home).map(worker => worker.name)
  const known =
    names.length === 0 ? 'there are none yet; start one with: ralph spawn' : `there are: ${names.join(', ')}`
  throw new UsageError(`no worker '${name}' in ${workersDir(home)}; ${known}`)
}
