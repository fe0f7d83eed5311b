import { existsSync, mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { runDir } from '../runs/find.ts'
import { isLive } from '../runs/live.ts'
import { allWorkers } from '../runs/worker-record.ts'
import { watchFolder } from '../store/files/watch-folder.ts'
import type { OverviewRow } from '../view/screens/model.ts'
import { rowOf } from '../view/screens/rows.ts'
import { type FollowedRun, followRun } from './follow-run.ts'
import type { UiPorts } from './ports.ts'

/** All runs of this machine, as rows that stay up to date. */
export type FollowedHome = {
  rows(now: number): OverviewRow[]
  /** How many journals are still to be read. */
  loading(): number
  close(): void
}

/** Older runs have no row; `ralph ls --all` and `ralph report` show them. */
const MOST_RUNS = 200

/** How long it reads before it lets others have a turn. */
const TURN_MS = 8

type Row = { run: FollowedRun; stop: (() => void) | null; isRead: boolean }

/**
 * Follows the journals of all runs. A run that no process hosts is not watched: one that resumes it takes its lock, and the
 * folder of locks is watched. `onChange`: there is something new to show.
 */
export function followHome({ home, workflowOf }: UiPorts, onChange: () => void): FollowedHome {
  const known = new Map<string, Row>()
  const due = new Set<string>()
  let names = new Map<string, string>()
  let isPumping = false
  let isClosed = false

  const folders = ['runs', 'workers', 'locks'].map(name => join(home, name))
  for (const folder of folders) mkdirSync(folder, { recursive: true, mode: 0o700 })
  const [runs, workers, locks] = folders as [string, string, string]

  const wake = (id: string) => {
    due.add(id)
    if (!isPumping) setImmediate(pump)
    isPumping = true
  }
  function pump(): void {
    isPumping = false
    if (isClosed) return
    const end = performance.now() + TURN_MS
    for (const id of due) {
      const row = known.get(id)
      while (row?.run.read()) if (performance.now() > end) break
      if (performance.now() > end) break
      due.delete(id)
      if (row) row.isRead = true
    }
    onChange()
    const [next] = due
    if (next !== undefined) wake(next)
  }

  function look(): void {
    names = new Map(allWorkers(home).map(({ run, name }) => [run, name]))
    // Also one that has no journal yet: it is about to begin.
    const ids = readdirSync(runs).sort()
    const wanted = new Set([...ids.slice(-MOST_RUNS), ...names.keys()])
    for (const id of [...wanted].sort().reverse()) {
      if (known.has(id)) continue
      known.set(id, { run: followRun(runDir(home, id), workflowOf), stop: null, isRead: false })
      wake(id)
    }
    for (const id of known.keys()) if (!wanted.has(id)) forget(id)
    onChange()
  }
  function forget(id: string): void {
    known.get(id)?.stop?.()
    known.delete(id)
    due.delete(id)
  }
  /** Only the folders of runs that a process hosts, or is about to. */
  function watchIf(row: Row, id: string, isWanted: boolean): void {
    if (!isWanted) {
      row.stop?.()
      row.stop = null
    } else if (row.stop === null) {
      row.stop = watchFolder(row.run.dir, () => wake(id))
      // What was written after it was read, and before it was watched, is not told.
      wake(id)
    }
  }

  const stops = [
    watchFolder(runs, look),
    watchFolder(workers, look),
    watchFolder(locks, name => {
      const id = /^run-(.*)\.json$/.exec(name ?? '')?.[1]
      if (id === undefined) return
      if (known.has(id)) wake(id)
      else look()
    }),
  ]
  look()
  return {
    rows: now =>
      [...known].flatMap(([id, row]) => {
        const facts = row.isRead ? row.run.facts() : null
        const shown =
          facts &&
          rowOf(facts, { worker: names.get(id) ?? null, isAtWork: isLive({ events: facts.latest }), now })
        if (row.isRead) watchIf(row, id, shown?.isAtWork ?? existsSync(row.run.dir))
        return shown ?? []
      }),
    loading: () => [...known.values()].filter(row => !row.isRead).length,
    close() {
      isClosed = true
      for (const stop of stops) stop()
      for (const id of known.keys()) forget(id)
    },
  }
}
