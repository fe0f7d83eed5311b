import type { Sender } from '../core/events.ts'
import { plainLine } from './text/plain.ts'

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
