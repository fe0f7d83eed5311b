import type { RunEvent, Sender } from '../../core/events.ts'

/** Something that was asked of a run from outside, and by whom; null: that is not known. */
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
