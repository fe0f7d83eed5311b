// The one way to read a file that others can write: an agent, a repository, a person. Opening a pipe would block ralph,
// signals included; a device or a file that grows would fill its memory. `readRegularFile` and `openRegularFile` throw;
// `textAt` and `bytesAt` return null, for a file that need not exist.

import { closeSync, constants, fstatSync, openSync, readSync, type Stats } from 'node:fs'

const MIB = 1024 * 1024

/** The most that is read of a file, in bytes, by what it holds. Each is far above what people or agents need. */
export const LIMITS = {
  /** Settings, manifests, git's small files, a hook's own files. */
  small: MIB,
  /** Task lists, prompts, templates, progress. */
  text: 16 * MIB,
  /** What ralph wrote itself, and what it has to keep whole. */
  own: 256 * MIB,
} as const

export type ReadOptions = {
  limit: number
  /** Do not follow a link at the end of the path. */
  noLink?: true
}

/** Why something at a path cannot be read although it is there. The message names the path, the rule and the limit. */
export class UnreadableFile extends Error {
  override name = 'UnreadableFile'
  /** The message without the path. */
  readonly why: string
  constructor(path: string, why: string) {
    super(`${path} ${why}`)
    this.why = why
  }
}

/** Opens a file to read. Throws for anything but a regular file. */
export const openRegularFile = (path: string, noLink = false): number => openSized(path, noLink).fd

/** Without O_NONBLOCK, opening a pipe waits for a writer. */
function openSized(path: string, noLink = false): { fd: number; size: number } {
  const { O_RDONLY, O_NONBLOCK, O_NOFOLLOW } = constants
  let fd: number
  try {
    fd = openSync(path, O_RDONLY | O_NONBLOCK | (noLink ? O_NOFOLLOW : 0))
  } catch (error) {
    // A socket cannot be opened at all.
    if ((error as NodeJS.ErrnoException).code === 'ENXIO')
      throw new UnreadableFile(path, 'is a socket, not a regular file')
    throw error
  }
  const stat = fstatSync(fd)
  if (stat.isFile()) return { fd, size: stat.size }
  closeSync(fd)
  throw new UnreadableFile(path, `is ${kindOf(stat)}, not a regular file`)
}

/** The bytes of a regular file that has at most `limit` of them, even if it grows meanwhile. */
export function readRegularFile(path: string, { limit, noLink }: ReadOptions): Buffer {
  const { fd, size } = openSized(path, noLink)
  try {
    const bytes = size > limit ? null : readUpTo(fd, limit, size)
    if (bytes) return bytes
    throw new UnreadableFile(path, `is larger than ${formatLimit(limit)}, the most that ralph reads of it`)
  } finally {
    closeSync(fd)
  }
}

/** The text of a file. Null if it does not exist, is not a regular file, is too large, or cannot be read. */
export const textAt = (path: string, options: ReadOptions): string | null =>
  bytesAt(path, options)?.toString('utf8') ?? null

export function bytesAt(path: string, options: ReadOptions): Buffer | null {
  try {
    return readRegularFile(path, options)
  } catch {
    return null
  }
}

/** At most this many bytes from the start of a regular file. */
export function firstBytesOf(path: string, most: number): Buffer {
  const fd = openRegularFile(path)
  try {
    const bytes = Buffer.allocUnsafe(most)
    return bytes.subarray(0, readSync(fd, bytes, 0, most, 0))
  } finally {
    closeSync(fd)
  }
}

/** At most `most` bytes of a regular file from a place on. None if it is shorter, or cannot be read. */
export function bytesFrom(path: string, from: number, most: number): Buffer {
  let file: { fd: number; size: number }
  try {
    file = openSized(path)
  } catch {
    return Buffer.alloc(0)
  }
  try {
    const bytes = Buffer.allocUnsafe(Math.min(Math.max(file.size - from, 0), most))
    return bytes.subarray(0, readSync(file.fd, bytes, 0, bytes.length, from))
  } finally {
    closeSync(file.fd)
  }
}

/** The first line of a regular file, without reading the rest. Null if it is longer than `limit`, or has no end. */
export function readFirstLine(path: string, limit: number): string | null {
  const { fd, size: whole } = openSized(path)
  try {
    const size = Math.min(whole, limit)
    for (let length = 65_536; ; length *= 4) {
      const bytes = Buffer.allocUnsafe(Math.min(length, size))
      const end = bytes.subarray(0, readSync(fd, bytes, 0, bytes.length, 0)).indexOf(LINE_END)
      if (end >= 0) return bytes.toString('utf8', 0, end)
      if (length >= size) return null
    }
  } finally {
    closeSync(fd)
  }
}

const LINE_END = 10

/**
 * What a person named on the command line, which may be a pipe: `-f <(make-prompt)`. Use it only before ralph handles
 * signals, so that Ctrl+C ends a pipe that nobody writes to.
 */
export function readNamedInput(path: string, limit: number): Buffer {
  const fd = openSync(path, 'r')
  try {
    const bytes = readUpTo(fd, limit, fstatSync(fd).size)
    if (bytes) return bytes
    throw new UnreadableFile(path, `is larger than ${formatLimit(limit)}, the most that ralph reads of it`)
  } finally {
    closeSync(fd)
  }
}

/** All of standard input, which may be a pipe or a socket. Use it as `readNamedInput`. */
export function readStandardInput(limit: number): Buffer {
  for (const parts: Buffer[] = []; ; ) {
    const part = Buffer.allocUnsafe(65_536)
    const count = readOrWait(part)
    if (count === 0) return Buffer.concat(parts)
    parts.push(part.subarray(0, count))
    if (parts.reduce((size, { length }) => size + length, 0) > limit)
      throw new UnreadableFile(
        'standard input',
        `is larger than ${formatLimit(limit)}, the most that ralph reads of it`,
      )
  }
}

const MOMENT_MS = 10

/** Reads standard input, which the program that started ralph may have made not wait. */
function readOrWait(buffer: Buffer): number {
  for (;;)
    try {
      return readSync(0, buffer)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, MOMENT_MS)
    }
}

/**
 * All bytes of an open file. Null if there are more than `limit`. If it has exactly as many as expected although there
 * was room for one more, that was all: no further read has to say so.
 */
function readUpTo(fd: number, limit: number, expected: number): Buffer | null {
  let buffer = Buffer.allocUnsafe(Math.min(expected, limit) + 1)
  let length = 0
  for (;;) {
    const count = readSync(fd, buffer, length, buffer.length - length, null)
    length += count
    if (length > limit) return null
    if (count === 0 || (length === expected && length < buffer.length)) return buffer.subarray(0, length)
    if (length < buffer.length) continue
    const larger = Buffer.allocUnsafe(Math.min(Math.max(2 * length, 65_536), limit + 1))
    buffer.copy(larger, 0, 0, length)
    buffer = larger
  }
}

function kindOf(stat: Stats): string {
  if (stat.isDirectory()) return 'a folder'
  if (stat.isFIFO()) return 'a pipe'
  return 'a device'
}

const formatLimit = (bytes: number): string => (bytes < MIB ? `${bytes} bytes` : `${bytes / MIB} MiB`)

/** How many bytes of the end to search, in turn, until something is found: transcripts and their lines can be large. */
const TAIL_SIZES = [64 * 1024, 1024 * 1024, 32 * 1024 * 1024]

/** Searches the last lines of a file that may be large, each time further back. */
export function searchTail<T>(
  path: string,
  find: (lines: string[]) => T | null,
): { found: T | null; size: number } {
  const fd = openRegularFile(path)
  try {
    const { size } = fstatSync(fd)
    for (const length of TAIL_SIZES) {
      const found = find(lastLines(fd, size, length))
      if (found !== null || length >= size) return { found, size }
    }
    return { found: null, size }
  } finally {
    closeSync(fd)
  }
}

function lastLines(fd: number, size: number, length: number): string[] {
  const buffer = Buffer.allocUnsafe(Math.min(length, size))
  const read = readSync(fd, buffer, 0, buffer.length, size - buffer.length)
  const lines = buffer.toString('utf8', 0, read).split('\n')
  // The first line is cut off unless the whole file was read.
  return size > length ? lines.slice(1) : lines
}
