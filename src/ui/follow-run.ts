import type { RunEvent } from '../core/events.ts'
import { journalPath } from '../store/journal.ts'
import { parseEvent } from '../store/journal-lines.ts'
import { type RunFacts, type RunFold, runFold } from '../view/screens/run-facts.ts'
import { growingLines } from './growing-lines.ts'

/** A run whose journal is read as it grows. */
export type FollowedRun = {
  dir: string
  /** Reads on, a piece at most. Returns whether there is more to read now. */
  read(): boolean
  facts(): RunFacts | null
}

/** `onEvent`: gets each event after it was folded. A line that is not an event ends the reading, as it ends the run. */
export function followRun(
  dir: string,
  workflowOf: Parameters<typeof runFold>[0],
  onEvent: (event: RunEvent) => void = () => {},
): FollowedRun {
  const fold: RunFold = runFold(workflowOf)
  let isBroken = false
  let seen = 0
  let known: { at: number; facts: RunFacts | null } = { at: -1, facts: null }
  const journal = growingLines(journalPath(dir), line => {
    const found = isBroken ? null : parseEvent(line)
    if (found === null || 'wrong' in found) {
      isBroken = true
      return
    }
    fold.onEvent(found.event)
    seen++
    onEvent(found.event)
  })
  return {
    dir,
    read: () => !isBroken && journal.read(),
    facts() {
      if (known.at !== seen) known = { at: seen, facts: fold.facts() }
      return known.facts
    },
  }
}
