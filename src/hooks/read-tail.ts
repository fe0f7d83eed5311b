import { closeSync, fstatSync, openSync, readSync } from 'node:fs'

/** How much of the end is looked at, until something is found: a transcript can be large, and so can one line of it. */
const LOOKS = [64 * 1024, 1024 * 1024, 32 * 1024 * 1024]

/** Looks for something in the last lines of a file, further and further back. */
export function lookBack<T>(
  path: string,
  find: (lines: string[]) => T | null,
): { found: T | null; size: number } {
  const fd = openSync(path, 'r')
  try {
    const { size } = fstatSync(fd)
    for (const length of LOOKS) {
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
  // Where the look begins in the middle of a line, that line is not whole.
  return size > length ? lines.slice(1) : lines
}
