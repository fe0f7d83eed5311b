import { createHash, type Hash } from 'node:crypto'
import {
  closeSync,
  existsSync,
  fdatasyncSync,
  fstatSync,
  ftruncateSync,
  openSync,
  type Stats,
  statSync,
  writeSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import type { RunEvent } from '../core/events.ts'
import { UsageError } from '../core/usage-error.ts'
import { syncFolder } from './files/atomic.ts'
import { firstBytesOf, LIMITS, readFirstLine, readRegularFile, UnreadableFile } from './files/read.ts'
import { describeWriteError } from './files/writable.ts'
import { type Beginning, FORMAT, parseBeginning, parseEvent } from './journal-lines.ts'

/** Events that must survive a power cut: an iteration was paid for, or a decision depends on them. */
const SYNCED: ReadonlySet<RunEvent['type']> = new Set([
  'began',
  'opening',
  'started',
  'settled',
  'merging',
  'landing',
  'merged',
  'finished',
])

export interface Journal {
  /** When this returns, the event is in the file. If it throws, the file is unchanged. */
  append(event: RunEvent): void
  close(): void
}

export const journalPath = (runDir: string): string => join(runDir, 'journal.ndjson')

/** Opens a journal for appending, and first cuts off a line that a crash left incomplete. */
export function openJournal(runDir: string): Journal {
  const path = journalPath(runDir)
  const found = existsSync(path) ? read(path) : Buffer.alloc(0)
  const fd = openSync(path, 'a+', 0o600)
  let size = endOfLastLine(found)
  const written = createHash('sha256').update(found.subarray(0, size))
  ftruncateSync(fd, size)
  syncFolder(dirname(path))
  let lastStat = fstatSync(fd)

  return {
    append(event) {
      assertUntouched(path, lastStat, written)
      const line = Buffer.from(`${JSON.stringify(event)}\n`)
      try {
        // On a full disk a write can be short without an error.
        if (writeSync(fd, line) !== line.length) throw new Error('the disk is full')
      } catch (error) {
        ftruncateSync(fd, size)
        lastStat = fstatSync(fd)
        throw new Error(describeWriteError(error, path), { cause: error })
      }
      size += line.length
      written.update(line)
      lastStat = fstatSync(fd)
      if (SYNCED.has(event.type)) fdatasyncSync(fd)
    },
    close: () => closeSync(fd),
  }
}

/** The journal is of an earlier build of ralph, which used other names. */
export class EarlierBuild extends UsageError {}

/** Refuses a run of another version of ralph: what it began with would be understood only in part. */
export function requireFormat(runDir: string, began: Beginning | null): void {
  if (began === null || began.v === FORMAT) return
  if (began.v > FORMAT)
    throw new UsageError(`run ${began.id} was made by a newer ralph; update ralph to continue it`)
  throw new EarlierBuild(
    `run ${began.id} was written by an earlier build of ralph and cannot be resumed; its files are in ${runDir}`,
  )
}

/**
 * Reads a journal without an incomplete last line. An invalid line before that is an error, never skipped. So is the
 * journal of another version.
 */
export function readJournal(runDir: string): RunEvent[] {
  const path = journalPath(runDir)
  const bytes = read(path)
  const lines = bytes.subarray(0, endOfLastLine(bytes)).toString('utf8').split('\n')
  lines.pop()
  return lines.map((line, index) => {
    const found = parseEvent(line)
    if ('event' in found) return found.event
    if (index === 0) requireFormat(runDir, parseBeginning(line))
    throw new UsageError(`${path}:${index + 1} ${found.wrong}; the run cannot be resumed`)
  })
}

/** How a run began, whichever version of ralph wrote it. Null if the first event is missing or invalid. */
export function beginningOf(runDir: string): Beginning | null {
  if (!existsSync(journalPath(runDir))) return null
  try {
    return parseBeginning(readFirstLine(journalPath(runDir), LIMITS.own) ?? '')
  } catch (error) {
    if (error instanceof UnreadableFile) return null
    throw error
  }
}

/** The first fields of a run's first event. Its lists, which come later, can have megabytes. */
const BEGINNING = /^\{"type":"began","at":\d+,"v":\d+,"id":"[^"]*","project":("(?:[^"\\]|\\.)*"),/
const BEGINNING_BYTES = 8192

/** The folder that a run began in, from the first bytes of its journal. Null if they do not say. */
export function beganIn(runDir: string): string | null {
  try {
    const [, folder] = BEGINNING.exec(firstBytesOf(journalPath(runDir), BEGINNING_BYTES).toString()) ?? []
    return folder === undefined ? null : JSON.parse(folder)
  } catch {
    return null
  }
}

function read(path: string): Buffer {
  try {
    return readRegularFile(path, { limit: LIMITS.own })
  } catch (error) {
    if (error instanceof UnreadableFile) throw new UsageError(`${error.message}; the run cannot be resumed`)
    throw error
  }
}

const endOfLastLine = (bytes: Uint8Array) => bytes.lastIndexOf(10) + 1

/**
 * Nobody else may write here: ralph's state in memory would differ from what is on disk. The times show an edit that
 * keeps the size. The content is read only if they differ, because a backup or a chmod changes them too.
 */
function assertUntouched(path: string, lastStat: Stats, written: Hash): void {
  const found = statSync(path, { throwIfNoEntry: false })
  if (!found) throw new Error(`the journal ${path} was removed while the run was going on`)
  if (found.ino === lastStat.ino && found.size === lastStat.size) {
    if (found.mtimeMs === lastStat.mtimeMs && found.ctimeMs === lastStat.ctimeMs) return
    if (createHash('sha256').update(read(path)).digest().equals(written.copy().digest())) return
  }
  throw new Error(`the journal ${path} was changed by someone else while the run was going on`)
}
