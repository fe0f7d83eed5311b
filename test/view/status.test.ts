import { describe, expect, it } from 'vitest'
import type { RunEvent } from '../../src/core/events.ts'
import { statusLines, statusOf } from '../../src/view/status.ts'
import { journal } from './report-journal.ts'

/** The rows of a status, by name. */
function rows(events: RunEvent[], now = events.at(-1)!.at): Record<string, string> {
  const [, ...lines] = statusLines(statusOf(events, false, now), now)
  return Object.fromEntries(lines.map(line => [line.slice(2, 11).trim(), line.slice(13)]))
}

describe('the status of a run', () => {
  it('never says that something was in the future, though the clock was set back', () => {
    const { events } = journal().iterate({ move: 'more' })
    expect(rows(events, events[0]!.at - 3_600_000).began).toBe('0.0s ago; last heard of 0.0s ago')
  })
})
