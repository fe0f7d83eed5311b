// Ways to read a file that an agent may have replaced with something else, a pipe for example. `readRegularFile` and
// `openRegularFile` throw; `textAt` and `bytesAt` return null, for a file that need not exist.

import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs'

/** Without O_NONBLOCK, opening a pipe waits until somebody writes to it. */
const FLAGS = constants.O_RDONLY | constants.O_NONBLOCK

/** Opens a file to read. Throws for anything but a regular file: reading a pipe would block ralph, signals included. */
export function openRegularFile(path: string): number {
  const fd = openSync(path, FLAGS)
  if (fstatSync(fd).isFile()) return fd
  closeSync(fd)
  throw new Error(`${path} is not a file`)
}

export function readRegularFile(path: string): Buffer {
  const fd = openRegularFile(path)
  try {
    return readFileSync(fd)
  } finally {
    closeSync(fd)
  }
}

/** The text of a file; null if it does not exist, is not a regular file, or cannot be read. */
export const textAt = (path: string): string | null => bytesAt(path)?.toString('utf8') ?? null

export function bytesAt(path: string): Buffer | null {
  try {
    return readRegularFile(path)
  } catch {
    return null
  }
}
