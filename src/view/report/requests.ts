import type { RunEvent, Sender } from '../../core/events.ts'
import { plainLine } from '../text/plain.ts'

/** Something that was asked of a run from outside, and by whom. Null if that is unknown. */
export type AskedFor = { what: string; at: number; from: Sender | null }

/** All that was asked of a run, the oldest first. Edits of a list file count too, if a command made them. */
export const requestsIn = (events: readonly RunEvent[]): AskedFor[] =>
  events.flatMap(event => {
    const what = wordFor(event)
    const from = 'from' in event ? (event.from as Sender | undefined) : undefined
    return what === null ? [] : { what, at: event.at, from: from ?? null }
  })

function wordFor(event: RunEvent): string | null {
  switch (event.type) {
    case 'control':
      return event.hold === 'pause' ? 'pause' : event.hold === 'stop' ? 'cancel' : 'go on'
    case 'limits':
      return event.from ? 'limit' : null
    case 'instructed':
      return 'instruction'
    case 'edited':
      return event.request !== undefined || event.from ? 'change of the list' : null
    case 'resumed':
      return event.from ? 'resume' : null
    case 'finished':
      return event.from ? 'cancel' : null
    default:
      return null
  }
}

/** Who sent a request, for the end of a sentence. A request that was written by hand names none. */
export function formatSender(from: Sender | null | undefined): string {
  if (!from) return 'by an unknown sender'
  const { pid, terminal, within = [] } = from
  const runs = within.map(run => plainLine(run)).join(', ')
  if (runs !== '') return `by a process of run ${runs} (pid ${pid})`
  return terminal === null
    ? `by a process without a terminal (pid ${pid})`
    : `by a person at ${plainLine(terminal)} (pid ${pid})`
}
