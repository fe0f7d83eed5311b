// Files that grow in place and need not survive a power cut. Use `openNewFile` or `writeNewFile` for a file of one
// iteration, a prompt, stream or log: it is always a new one. Use `appendToFile` to add to a file in the project: what is
// at the path is replaced unless it is a regular file with this one name.

import { closeSync, constants, lstatSync, openSync, rmSync } from 'node:fs'
import { replaceFileUnsynced, writeAll } from './atomic.ts'
import { LIMITS, readRegularFile } from './read.ts'

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

/** O_NONBLOCK makes a pipe an error; otherwise ralph would wait for a reader, and hear no signal. */
const { O_APPEND, O_CREAT, O_NOFOLLOW, O_NONBLOCK, O_WRONLY } = constants
const FLAGS = O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_WRONLY

/** Adds to a file, and never writes into a file of somebody else. */
export function appendToFile(path: string, data: Uint8Array, mode = 0o644): void {
  const found = lstatSync(path, { throwIfNoEntry: false })
  if (found && !found.isFile()) rmSync(path, { recursive: true, force: true })
  // A hard link: the same file may have a name elsewhere. A copy takes its place.
  else if (found && found.nlink > 1)
    replaceFileUnsynced(path, readRegularFile(path, { limit: LIMITS.own, noLink: true }), mode)
  const fd = openSync(path, FLAGS, mode)
  try {
    writeAll(fd, data)
  } finally {
    closeSync(fd)
  }
}
