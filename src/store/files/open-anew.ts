import { closeSync, openSync, rmSync } from 'node:fs'
import { writeWhole } from './atomic.ts'

/**
 * Opens a new, empty file of ralph's, to write and read. What an agent may have left in its place goes first: into a pipe
 * ralph would write only once somebody reads, deaf to all signals meanwhile, and through a link into somebody's file.
 */
export function openAnew(path: string): number {
  try {
    return openSync(path, 'wx+')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    rmSync(path, { recursive: true, force: true })
    return openSync(path, 'wx+')
  }
}

/** The same for a file that is written at once. */
export function writeAnew(path: string, text: string): void {
  const fd = openAnew(path)
  try {
    writeWhole(fd, Buffer.from(text))
  } finally {
    closeSync(fd)
  }
}
