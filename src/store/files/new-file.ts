// Use these for a file that belongs to one iteration and need not survive a power cut: prompts, streams, logs. The file
// is always a new one, and it grows in place.

import { closeSync, openSync, rmSync } from 'node:fs'
import { writeAll } from './atomic.ts'

/**
 * Creates an empty file to write and read. Removes what an agent may have left at its path: a pipe would block ralph,
 * signals included, until somebody reads it, and a link would lead into somebody's file.
 */
export function openNewFile(path: string): number {
  try {
    return openSync(path, 'wx+', 0o600)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    rmSync(path, { recursive: true, force: true })
    return openSync(path, 'wx+', 0o600)
  }
}

/** The same for a file that is written at once. */
export function writeNewFile(path: string, text: string): void {
  const fd = openNewFile(path)
  try {
    writeAll(fd, Buffer.from(text))
  } finally {
    closeSync(fd)
  }
}
