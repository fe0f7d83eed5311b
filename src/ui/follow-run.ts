import { statSync } from 'node:fs'
import type { RunEvent } from '../core/events.ts'
import { splitLines } from '../runners/process/lines.ts'
import { bytesFrom } from '../store/files/read.ts'
import { journalPath } from '../store/journal.ts'
import { parseEvent } from '../store/journal-lines.ts'
import { type RunFacts, type RunFold, runFold } from '../view/screens/run-facts.ts'

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

/** The lines of a file that grows. */
export type GrowingLines = {
  /** Reads on, a piece at most. Returns whether there is more to read now. */
  read(): boolean
}

const PIECE = 1024 * 1024

/**
 * `most`: of a file that is ahead by more, only the end is read, without the line that this cuts in two. A file that became
 * shorter is another one, and is read from its beginning.
 */
export function growingLines(
  path: string,
  onLine: (line: string) => void,
  { most = Number.POSITIVE_INFINITY }: { most?: number } = {},
): GrowingLines {
  let from = 0
  let isCut = false
  const take = (line: string) => {
    if (isCut) isCut = false
    else onLine(line)
  }
  let lines = splitLines(take)
  return {
    read() {
      const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0
      if (size < from || size - from > most) {
        from = size < from ? 0 : size - most
        isCut = from > 0
        lines = splitLines(take)
      }
      if (size === from) return false
      const bytes = bytesFrom(path, from, PIECE)
      from += bytes.length
      lines.push(bytes)
      return bytes.length > 0 && from < size
    },
  }
}
