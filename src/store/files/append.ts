// Use this to add to a file in the project. It never writes into a file of somebody else: what is at the path is
// replaced unless it is a regular file with this one name.

import { closeSync, constants, lstatSync, openSync, rmSync } from 'node:fs'
import { replaceFileUnsynced, writeAll } from './atomic.ts'
import { LIMITS, readRegularFile } from './read.ts'

/** O_NONBLOCK makes a pipe an error; otherwise ralph would wait for a reader, and hear no signal. */
const { O_APPEND, O_CREAT, O_NOFOLLOW, O_NONBLOCK, O_WRONLY } = constants
const FLAGS = O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_WRONLY

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
