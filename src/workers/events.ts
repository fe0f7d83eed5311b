import { statSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import type { RunEvent } from '../core/events.ts'
import { logTime } from '../core/format.ts'
import { safeJson } from '../core/visible.ts'
import { ralphHome, runDir, runIds } from '../runs/find.ts'
import type { Io } from '../runs/io.ts'
import { allWorkers } from '../runs/worker-record.ts'
import { journalPath, readJournal } from '../store/journal.ts'
import { plainLine } from '../view/text/plain.ts'
import { loopLines } from './rules/lines.ts'

export type EventsOptions = { follow?: boolean; json?: boolean }

const POLL_MS = 500

/** Prints what happens in all runs of this machine, for scripts. Without --follow: what happened so far. */
export async function printEvents(
  { follow = false, json = false }: EventsOptions,
  io: Io,
  stop?: AbortSignal,
): Promise<number> {
  const home = ralphHome(io.env)
  const reader = journalReader(home)
  const formats = new Map<string, (event: RunEvent) => string[]>()
  const format = (run: string, event: RunEvent): string[] => {
    if (json) return [safeJson({ run, worker: reader.nameOf(run), ...event })]
    const known = formats.get(run) ?? textOf(reader.nameOf(run) ?? run)
    formats.set(run, known)
    return known(event)
  }
  const printNew = () => {
    const lines = reader.next().flatMap(({ run, event }) => format(run, event))
    if (lines.length > 0) io.stdout.write(`${lines.join('\n')}\n`)
  }
  printNew()
  while (follow && !stop?.aborted) {
    await delay(POLL_MS)
    printNew()
  }
  return 0
}

function textOf(name: string): (event: RunEvent) => string[] {
  const loop = loopLines({ name, inactivityTimeout: 0, byPattern: false })
  return event => {
    const { logged } = loop(event)
    const lines = event.type === 'began' ? [`[BEGIN] ${event.workflow} in ${event.project}`] : logged
    return lines.map(line => `${logTime(event.at)} ${name} ${plainLine(line, 1000)}`)
  }
}

/** Reads the journals that grew since the last time, and gives their new events in the order of time. */
function journalReader(home: string) {
  const seen = new Map<string, { size: number; count: number }>()
  let names = new Map<string, string>()
  return {
    nameOf: (run: string): string | null => names.get(run) ?? null,
    next(): { run: string; event: RunEvent }[] {
      names = new Map(allWorkers(home).map(({ run, name }) => [run, name]))
      return runIds(home)
        .flatMap(run => newIn(run).map(event => ({ run, event })))
        .sort((a, b) => a.event.at - b.event.at)
    },
  }

  function newIn(run: string): RunEvent[] {
    try {
      const { size } = statSync(journalPath(runDir(home, run)))
      const before = seen.get(run) ?? { size: -1, count: 0 }
      if (size === before.size) return []
      const events = readJournal(runDir(home, run))
      seen.set(run, { size, count: events.length })
      return events.slice(before.count)
    } catch {
      // It was deleted meanwhile, or a newer ralph wrote it.
      return []
    }
  }
}
