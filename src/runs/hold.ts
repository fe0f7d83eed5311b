import { isAlive, processRef } from '../runners/process/proc.ts'
import { acquireLock, acquireRunLock } from '../store/lock.ts'

type Held = { home: string; id: string; project: string; shared: boolean }

/** Has a folder (unless it is shared) and a run to itself while it acts, and gives both back whatever happens. */
export async function hold<T>({ home, id, project, shared }: Held, act: () => T | Promise<T>): Promise<T> {
  const me = { ...processRef(process.pid), run: id }
  const folder = shared ? null : acquireLock(home, project, me, isAlive)
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
