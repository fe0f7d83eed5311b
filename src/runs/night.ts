import { statSync } from 'node:fs'
import { journalPath } from '../store/journal.ts'
import { heldElsewhere } from '../store/lock.ts'
import type { Morning, Period } from '../view/morning/model.ts'
import { morningOf } from '../view/morning/morning.ts'
import { type KnownRun, nightOf } from '../view/morning/night.ts'
import { type Registry, traitsIn } from '../workflows/index.ts'
import { readRun, runDir, runIds } from './find.ts'
import { isLive, lockedRuns } from './live.ts'
import { allWorkers } from './worker-record.ts'

/** What the runs of this machine did in a period. */
export function readMorning(registry: Registry, home: string, period: Period): Morning {
  const { runs, skipped } = runsSince(registry, home, period.since)
  return morningOf(
    runs.map(run => nightOf(run, period)),
    period,
    skipped,
  )
}

/**
 * The runs that did something since then or are at work, the oldest first, and those that cannot be read. There may be
 * hundreds with long journals, so only those are read that were written to since then, or that hold a lock.
 */
function runsSince(
  registry: Registry,
  home: string,
  since: number,
): { runs: KnownRun[]; skipped: Morning['skipped'] } {
  const names = new Map(allWorkers(home).map(({ run, name }) => [run, name]))
  const locked = new Set(lockedRuns(home))
  const runs: KnownRun[] = []
  const skipped: Morning['skipped'] = []
  for (const id of runIds(home)) {
    if (!locked.has(id) && lastWritten(home, id) < since) continue
    try {
      const run = readRun(home, id)
      const live = isLive(run) || heldElsewhere(home, id) !== null
      // A copied journal was written later than what is in it.
      if (!live && run.events.at(-1)!.at < since) continue
      const traits = traitsIn(registry, run.began.workflow)
      runs.push({ name: names.get(id) ?? id, events: run.events, live, traits })
    } catch (error) {
      skipped.push({ run: id, why: (error as Error).message })
    }
  }
  return { runs, skipped }
}

const lastWritten = (home: string, id: string): number =>
  statSync(journalPath(runDir(home, id)), { throwIfNoEntry: false })?.mtimeMs ?? 0
