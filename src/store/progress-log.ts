import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import type { RunEvent } from '../core/events.ts'

export type ProgressLog = {
  path: string
  /** What it is about; where that is gone, nothing is written. */
  project: string
  /** All that happened so far, the event that is being told included. */
  journal(): readonly RunEvent[]
  /** A fresh fold of events into what is to be appended. */
  notes(): (event: RunEvent) => string
}

/**
 * An append-only log that follows a run's events. A crash can keep the last entry, or the end of it, from the file, and
 * what others put on record since is not in it: that is made up for, so that every entry is there exactly once. A log
 * that was removed is told again from its beginning.
 */
export function openProgressLog(log: ProgressLog, past: readonly RunEvent[]): (event: RunEvent) => void {
  const { path, project } = log
  const noteOf = log.notes()
  const append = (text: string) => {
    if (text === '' || !existsSync(project)) return
    mkdirSync(dirname(path), { recursive: true })
    appendFileSync(path, existsSync(path) ? text : log.journal().map(log.notes()).join(''))
  }
  append(missingOf(past.map(noteOf), read(path)))
  return event => append(noteOf(event))
}

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

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
