import { isAlive, processRef } from '../runners/process/proc.ts'
import { acquireLock, acquireRunLock } from '../store/lock.ts'
import { titleOf } from './worker-record.ts'

type LockOptions = { home: string; id: string; project: string; shared: boolean }

/** Acts while it holds the lock of a run and, unless that is shared, of its project. Releases both whatever happens. */
export async function withLocks<T>(
  { home, id, project, shared }: LockOptions,
  act: () => T | Promise<T>,
): Promise<T> {
  const me = { ...processRef(process.pid), run: id }
  const refuse = (run: string, who: string) =>
    `${titleOf(home, run)} (${who}) is already running in ${project}. Wait, start a worker in its own worktree (ralph spawn --worktree), or pass --shared`
  const folder = shared ? null : acquireLock(home, project, me, isAlive, refuse)
  try {
    const run = acquireRunLock(home, me, isAlive)
    try {
      return await act()
    } finally {
      run.release()
    }
  } finally {
    folder?.release()
  }
}
