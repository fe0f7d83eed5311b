import type { RunEvent } from '../../src/core/events.ts'
import type { Period, RunNight } from '../../src/view/morning/model.ts'
import { nightOf } from '../../src/view/morning/night.ts'
import { traitsIn, workflows } from '../../src/workflows/index.ts'
import { MINUTE } from './report-journal.ts'

const HOUR = 60 * MINUTE

/** The night of the journals that `journal()` writes. */
export const NIGHT: Period = {
  since: Date.UTC(2026, 2, 1, 18),
  now: Date.UTC(2026, 2, 2, 7),
  words: 'since yesterday 18:00',
}

/** The same night, but it begins this much later. */
export const later = (hours: number): Period => ({ ...NIGHT, since: NIGHT.since + hours * HOUR })

type Options = { live?: boolean; name?: string; period?: Period; workflow?: string; inGit?: boolean }

/** What one run did. `workflow`: as on disk; absent: that of the journal. */
export function night(events: readonly RunEvent[], options: Options = {}): RunNight {
  const { live = false, period = NIGHT, inGit = true } = options
  const [first, ...rest] = events
  const began = {
    ...first,
    ...(options.workflow !== undefined && { workflow: options.workflow }),
    pins: { ...(inGit && { start: {} }) },
  } as Extract<RunEvent, { type: 'began' }>
  const traits = {
    ...traitsIn(workflows, began.workflow),
    subjectOf: () => ['goal', 'A shop'] as [string, string],
  }
  return nightOf({ name: options.name ?? began.id, events: [began, ...rest], live, traits }, period)
}
