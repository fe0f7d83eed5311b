import { fstatSync, readSync } from 'node:fs'

// Reads parts of a log through its open descriptor: at its path there may be another file by now, or none.

/** A character takes four bytes at most; reading one more tells whether there is a rest. */
export const logHead = (fd: number, chars: number): string => read(fd, 0, (chars + 1) * 4)

/** How much of the end is read for the last line. */
const TAIL = 4096

export const tailOf = (fd: number): string => read(fd, Math.max(fstatSync(fd).size - TAIL, 0), TAIL)

export const lastLineOf = (fd: number): string => tailOf(fd).trimEnd().split('\n').at(-1) ?? ''

/** A longer log is not searched. */
const LONGEST = 8 * 1024 * 1024

/** The whole log, or null if it is too long. */
export const wholeText = (fd: number): string | null =>
  fstatSync(fd).size > LONGEST ? null : read(fd, 0, LONGEST)

function read(fd: number, from: number, most: number): string {
  const bytes = Buffer.alloc(Math.min(most, Math.max(fstatSync(fd).size - from, 0)))
  const n = readSync(fd, bytes, 0, bytes.length, from)
  return bytes.subarray(0, n).toString('utf8')
}
