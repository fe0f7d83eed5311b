import { appendFileSync, existsSync } from 'node:fs'
import type { RunEvent } from '../core/events.ts'
import { replaceFile } from './files/atomic.ts'
import { clearPath } from './files/force-replace.ts'
import { bytesAt } from './files/regular-file.ts'

export type ProgressLog = {
  path: string
  /** What it is about; where that is gone, nothing is written. */
  project: string
  /** All that happened so far, the event that is being told included. */
  journal(): readonly RunEvent[]
  /** A fresh fold of events into what is to be appended. */
  notes(): (event: RunEvent) => string
  warn(note: string): void
}

/**
 * An append-only log that follows a run's events. A crash can keep the last entry, or the end of it, from the file, and
 * what others put on record since is not in it: that is made up for, so that every entry is there exactly once. A log
 * that was removed or overwritten is told again from its beginning; what others wrote at its end stays.
 */
export function openProgressLog(log: ProgressLog, past: readonly RunEvent[]): (event: RunEvent) => void {
  const { path, project } = log
  const noteOf = log.notes()
  /** The log as it was left. Bytes: it can be long, and is looked at with every entry. */
  let left = bytesAt(path) ?? Buffer.alloc(0)
  const append = (text: string) => {
    if (text === '' || !existsSync(project)) return
    clearPath(path)
    const found = bytesAt(path)
    const isNew = left.length === 0 && !existsSync(path)
    if (isNew || found?.subarray(0, left.length).equals(left)) {
      const bytes = Buffer.from(text)
      appendFileSync(path, bytes)
      left = Buffer.concat([found ?? left, bytes])
      return
    }
    left = Buffer.from(log.journal().map(log.notes()).join(''))
    // Not written into: it may be a link by now.
    replaceFile(path, left)
    if (found !== null) log.warn(OVERWRITTEN)
  }
  append(missingOf(past.map(noteOf), left.toString()))
  return event => append(noteOf(event))
}

const OVERWRITTEN = 'progress.txt was overwritten; it is made whole again from the journal'

/** Every entry begins with a character that may end another: so much at least tells one that was begun. */
const BEGUN = 2

/** What a text still lacks of its last entries, the first of which may be there in part. */
function missingOf(entries: readonly string[], text: string): string {
  const there = entries.findLastIndex(entry => entry !== '' && text.includes(entry))
  const missing = entries.slice(there + 1).join('')
  for (let length = missing.length - 1; length >= BEGUN; length--)
    if (text.endsWith(missing.slice(0, length))) return missing.slice(length)
  return missing
}
