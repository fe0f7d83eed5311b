import { closeSync, fstatSync, lstatSync, readSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { appendToFile } from '../store/files/growing.ts'
import { LIMITS, openRegularFile, textAt } from '../store/files/read.ts'
import { FILES } from './folder.ts'

/** The most that `view.log` holds. A worker may run for weeks: then the log before it is kept, and older ones go. */
export const MOST_BYTES: number = 16 * 1024 * 1024

/** Adds lines to the view log of a worker, and begins a new log where this one has become too long. */
export function appendToView(dir: string, lines: readonly string[], most = MOST_BYTES): void {
  const path = join(dir, FILES.view)
  const data = Buffer.from(lines.map(line => `${line}\n`).join(''))
  const size = lstatSync(path, { throwIfNoEntry: false })?.size ?? 0
  if (size > 0 && size + data.length > most) renameSync(path, join(dir, FILES.earlierView))
  appendToFile(path, data, 0o600)
}

/** All that is kept. */
export const readView = (dir: string): string =>
  [FILES.earlierView, FILES.view].map(file => textAt(join(dir, file), { limit: LIMITS.own }) ?? '').join('')

/** Reads the view log as it grows, from the beginning of what is kept. */
export function followView(dir: string): { next(): string; close(): void } {
  const path = join(dir, FILES.view)
  let open: OpenLog | null = null
  /** What is left of logs that are no longer written, and the beginning of a line whose end is missing. */
  let rest: Buffer = Buffer.alloc(0)

  function read(): void {
    if (open) rest = Buffer.concat([rest, readOn(open)])
  }

  function start(): void {
    open = openLog(path)
    const earlier = openLog(join(dir, FILES.earlierView))
    if (!earlier) return
    // It was set aside in this moment: it is the open one, and its successor is found when it is there.
    if (!open) {
      open = earlier
      return
    }
    if (earlier.ino !== open.ino) rest = readOn(earlier)
    closeSync(earlier.fd)
  }

  return {
    /** The complete lines that are new. */
    next() {
      if (!open) start()
      read()
      const now = lstatSync(path, { throwIfNoEntry: false })
      if (open && now && now.ino !== open.ino) {
        // Nothing is added to a log once there is a new one; the old one is still open, so its end is not lost.
        read()
        closeSync(open.fd)
        open = openLog(path)
        read()
      }
      const end = rest.lastIndexOf(LINE_END) + 1
      const text = rest.toString('utf8', 0, end)
      rest = rest.subarray(end)
      return text
    },
    close() {
      if (open) closeSync(open.fd)
      open = null
    },
  }
}

type OpenLog = { fd: number; ino: number; at: number }

const LINE_END = 10

function openLog(path: string): OpenLog | null {
  try {
    const fd = openRegularFile(path, true)
    return { fd, ino: fstatSync(fd).ino, at: 0 }
  } catch {
    // There is none yet.
    return null
  }
}

function readOn(log: OpenLog): Buffer {
  const bytes = Buffer.allocUnsafe(Math.max(fstatSync(log.fd).size - log.at, 0))
  const count = bytes.length === 0 ? 0 : readSync(log.fd, bytes, 0, bytes.length, log.at)
  log.at += count
  return bytes.subarray(0, count)
}
