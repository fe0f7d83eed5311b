// Use `replaceFile` for a file that ralph depends on: after any crash it is the old one or the new one, whole. Use
// `replaceFileUnsynced` where losing the last version in a power cut does no harm; it does not wait for the disk. That is
// so for `session.json`, for ralph's own `.gitignore`, for a story loop's `.ralph-active` and the snapshot for its Stop gate,
// which names its step, and for a build's `tasks.json` when an agent begins: after a power cut that may be the version
// before, which ralph recognises as its own, or empty, which counts as lost and is written again.

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
 * Writes a temporary file, syncs it, renames it and syncs the folder. The temporary name is random and must be new, so
 * nobody can redirect the write with a link.
 */
export function replaceFile(path: string, data: string | Uint8Array, mode = 0o644): void {
  replace(path, data, mode, fsyncSync)
  syncFolder(dirname(path))
}

/** The same without a sync: a power cut may leave the old file, or an empty one. */
export const replaceFileUnsynced = (path: string, data: string | Uint8Array, mode = 0o644): void =>
  replace(path, data, mode, () => {})

function replace(path: string, data: string | Uint8Array, mode: number, sync: (fd: number) => void): void {
  const temp = join(dirname(path), `.ralph-${randomBytes(8).toString('hex')}.tmp`)
  const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants
  const fd = openSync(temp, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode)
  try {
    writeAll(fd, typeof data === 'string' ? Buffer.from(data) : data)
    sync(fd)
    closeSync(fd)
    renameSync(temp, path)
  } catch (error) {
    discard(fd, temp)
    throw error
  }
}

/** Removes the temporary files that a crash left in a folder: an agent could commit those in a project. */
export function removeTempFiles(folder: string): void {
  try {
    const names = readdirSync(folder).filter(name => /^\.ralph-[0-9a-f]{16}\.tmp$/.test(name))
    for (const name of names) rmSync(join(folder, name), { force: true })
  } catch {
    // The folder is missing or read-only: the next write there reports it.
  }
}

/** Writes everything or throws: on a full disk a write can be short without an error. */
export function writeAll(fd: number, data: Uint8Array): void {
  for (let written = 0; written < data.length; ) {
    const count = writeSync(fd, data, written)
    if (count === 0) throw new Error('nothing more can be written; is the disk full?')
    written += count
  }
}

/** After this a new name in the folder survives a power cut. */
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
      // Already closed or gone: the first error is the one to report.
    }
}
