import { createHash, type Hash } from 'node:crypto'
import {
  closeSync,
  fdatasyncSync,
  fstatSync,
  ftruncateSync,
  openSync,
  readFileSync,
  type Stats,
  statSync,
  writeSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import type { RunEvent } from '../core/events.ts'
import { UsageError } from '../core/usage-error.ts'
import { syncFolder } from './files/atomic.ts'
import { describeWriteError } from './files/writable.ts'
import { eventIn } from './journal-lines.ts'

/** Events that must outlive a power cut: an iteration is paid for, or a decision rests on it. */
const SYNCED: ReadonlySet<RunEvent['type']> = new Set(['began', 'started', 'settled', 'finished'])

export interface Journal {
  /** The event is in the file when this returns; else it throws and the file is as it was. */
  append(event: RunEvent): void
  close(): void
}

export const journalPath = (runDir: string): string => join(runDir, 'journal.ndjson')

/** Opens a journal for appending; a tail that a crash tore is cut off first. */
export function openJournal(runDir: string): Journal {
  const path = journalPath(runDir)
  const fd = openSync(path, 'a+', 0o600)
  const found = readFileSync(path)
  let size = wholeLines(found)
  const written = createHash('sha256').update(found.subarray(0, size))
  ftruncateSync(fd, size)
  syncFolder(dirname(path))
  let mine = fstatSync(fd)

  return {
    append(event) {
      assertUntouched(path, mine, written)
      const line = Buffer.from(`${JSON.stringify(event)}\n`)
      try {
        // A full disk can take half a line without an error.
        if (writeSync(fd, line) !== line.length) throw new Error('the disk is full')
      } catch (error) {
        ftruncateSync(fd, size)
        mine = fstatSync(fd)
        throw new Error(describeWriteError(error, path), { cause: error })
      }
      size += line.length
      written.update(line)
      mine = fstatSync(fd)
      if (SYNCED.has(event.type)) fdatasyncSync(fd)
    },
    close: () => closeSync(fd),
  }
}

/** Reads what a journal tells, leaving out a torn last line. Rubbish before that is named, never skipped. */
export function readJournal(runDir: string): RunEvent[] {
  const path = journalPath(runDir)
  const bytes = readFileSync(path)
  const lines = bytes.subarray(0, wholeLines(bytes)).toString('utf8').split('\n')
  lines.pop()
  return lines.map((line, index) => {
    const found = eventIn(line)
    if ('wrong' in found)
      throw new UsageError(`${path}:${index + 1} ${found.wrong}; the run cannot be resumed`)
    return found.event
  })
}

/** The first event alone: enough to tell whose run it is. null where there is none yet, or it is rubbish. */
export function firstEvent(runDir: string): RunEvent | null {
  const bytes = readFileSync(journalPath(runDir))
  const end = bytes.indexOf(10)
  const found = eventIn(bytes.toString('utf8', 0, Math.max(end, 0)))
  return 'event' in found ? found.event : null
}

const wholeLines = (bytes: Uint8Array) => bytes.lastIndexOf(10) + 1

/**
 * Nobody else writes here: if someone did, what ralph believes and what is on disk are no longer the same.
 * The times tell of an edit that keeps the size; only then is it read, for a backup or a chmod changes them, too.
 */
function assertUntouched(path: string, mine: Stats, written: Hash): void {
  const found = statSync(path, { throwIfNoEntry: false })
  if (!found) throw new Error(`the journal ${path} was removed while the run was going on`)
  if (found.ino === mine.ino && found.size === mine.size) {
    if (found.mtimeMs === mine.mtimeMs && found.ctimeMs === mine.ctimeMs) return
    if (createHash('sha256').update(readFileSync(path)).digest().equals(written.copy().digest())) return
  }
  throw new Error(`the journal ${path} was changed by someone else while the run was going on`)
}
