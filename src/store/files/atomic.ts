import { randomBytes } from 'node:crypto'
import {
  closeSync,
  constants,
  fsyncSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  unlinkSync,
  writeSync,
} from 'node:fs'
import { dirname, join } from 'node:path'

/**
 * Replaces a file so that after any crash there is the old one or the new one, whole:
 * a new file nobody can guess or redirect, synced, renamed, and the folder synced.
 */
export function replaceFile(path: string, data: string | Uint8Array, mode = 0o644): void {
  swap(path, data, mode, fsyncSync)
  syncFolder(dirname(path))
}

/** The same without waiting for the disk: after a power cut there may be the old one, or an empty one. */
export const swapFile = (path: string, data: Uint8Array): void => swap(path, data, 0o644, () => {})

function swap(path: string, data: string | Uint8Array, mode: number, sync: (fd: number) => void): void {
  const temp = join(dirname(path), `.ralph-${randomBytes(8).toString('hex')}.tmp`)
  const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants
  const fd = openSync(temp, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode)
  try {
    writeWhole(fd, typeof data === 'string' ? Buffer.from(data) : data)
    sync(fd)
    closeSync(fd)
    renameSync(temp, path)
  } catch (error) {
    discard(fd, temp)
    throw error
  }
}

/** Removes what a crash left of files that were being replaced: in a project, an agent might commit it. */
export function dropHalves(folder: string): void {
  try {
    const names = readdirSync(folder).filter(name => /^\.ralph-[0-9a-f]{16}\.tmp$/.test(name))
    for (const name of names) rmSync(join(folder, name), { force: true })
  } catch {
    // No folder, or none to write in: whoever needs it will say so.
  }
}

/** Writes all of it or throws: a full disk can take half a buffer without an error. */
export function writeWhole(fd: number, data: Uint8Array): void {
  for (let done = 0; done < data.length; ) {
    const wrote = writeSync(fd, data, done)
    if (wrote === 0) throw new Error('nothing more can be written; is the disk full?')
    done += wrote
  }
}

/** Makes a new name in a folder survive a power cut. */
export function syncFolder(path: string): void {
  const fd = openSync(path, 'r')
  try {
    fsyncSync(fd)
  } finally {
    closeSync(fd)
  }
}

function discard(fd: number, temp: string): void {
  for (const step of [() => closeSync(fd), () => unlinkSync(temp)])
    try {
      step()
    } catch {
      // Already closed or already gone: the error that brought us here is the one to report.
    }
}
