import type { RunEvent } from '../core/events.ts'
import { replaceFile } from './files/atomic.ts'
import { appendToFile } from './files/growing.ts'
import { fileMode, forceReplace, kindAt, readOrMove } from './files/inside.ts'
import { isPinned, type PinnedFolder } from './files/pinned.ts'

export type ProgressLog = {
  path: string
  /** The user's folder. If it is gone, nothing is written. */
  root: PinnedFolder
  /** All events so far, including the one that is being handled. */
  journal(): readonly RunEvent[]
  /** Makes a new function that turns events, in order, into text to append. */
  notes(): (event: RunEvent) => string
  warn(note: string): void
}

/**
 * An append-only log that follows a run's events. After a crash the last entries may be missing or incomplete: opening
 * the log adds what is missing, so every entry is there exactly once. A log that was removed or overwritten is written
 * again from the journal; what others added at its end stays.
 */
export function openProgressLog(log: ProgressLog, past: readonly RunEvent[]): (event: RunEvent) => void {
  const { path, root } = log
  const noteOf = log.notes()
  /** The log as it was last written. Bytes, because it can be long and is compared for every entry. */
  let last = read() ?? Buffer.alloc(0)
  const append = (text: string) => {
    if (text === '' || !isPinned(root)) return
    const found = read()
    const isNew = last.length === 0 && kindAt(path) === null
    if (isNew || found?.subarray(0, last.length).equals(last)) {
      const bytes = Buffer.from(text)
      forceReplace(root, path, entry => appendToFile(entry, bytes, fileMode(root, path)))
      last = Buffer.concat([found ?? last, bytes])
      return
    }
    last = Buffer.from(log.journal().map(log.notes()).join(''))
    forceReplace(root, path, entry => replaceFile(entry, last, fileMode(root, path)))
    if (found !== null) log.warn(OVERWRITTEN)
  }
  append(missingText(past.map(noteOf), last.toString()))
  return event => append(noteOf(event))

  /** Of a file, not of what a link leads to: ralph adds to nothing that somebody else named. */
  function read(): Buffer | null {
    const found = kindAt(path) === 'link' ? null : readOrMove(root, path)
    if (found === null || Buffer.isBuffer(found)) return found
    log.warn(`progress.txt could not be used (${found.unusable}); it is kept as ${found.kept}`)
    return null
  }
}

const OVERWRITTEN = 'progress.txt was overwritten; it is restored from the journal'

/** The first character of an entry may also end another one, so only two or more show an incomplete entry. */
const MIN_OVERLAP = 2

/** What is missing of the last entries in a text. The first of them may be there in part. */
function missingText(entries: readonly string[], text: string): string {
  const present = entries.findLastIndex(entry => entry !== '' && text.includes(entry))
  const missing = entries.slice(present + 1).join('')
  for (let length = missing.length - 1; length >= MIN_OVERLAP; length--)
    if (text.endsWith(missing.slice(0, length))) return missing.slice(length)
  return missing
}
