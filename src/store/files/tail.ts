// Use this to read the end of a file that others write and that may be large.

import { closeSync, fstatSync, readSync } from 'node:fs'
import { openRegularFile } from './read.ts'

/** How many bytes of the end to search, in turn, until something is found: transcripts and their lines can be large. */
const TAIL_SIZES = [64 * 1024, 1024 * 1024, 32 * 1024 * 1024]

/** Searches the last lines of a file, each time further back. */
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
