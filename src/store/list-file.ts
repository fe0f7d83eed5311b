import { existsSync, statSync } from 'node:fs'
import { keepBroken, type MovedAside, readOrMove } from './broken.ts'
import { replaceFile, replaceFileUnsynced } from './files/atomic.ts'
import { fileMode, forceReplace } from './files/inside.ts'
import type { PinnedFolder } from './files/pinned.ts'
import { bytesAt, LIMITS } from './files/read.ts'

/** A file that ralph writes and others may edit. */
export interface ListFile {
  /**
   * What others changed it to, and the text they changed; null if ralph wrote it last, or it is gone. Anything but a
   * regular file of reasonable size is moved aside, and `unusable` says so.
   */
  changed(): { text: string; written: string } | MovedAside | null
  isThere(): boolean
  /** It was written before, and now is missing, not a file, or empty after a power cut. */
  isLost(): boolean
  /** Replaces it, unless it already has this content. */
  write(bytes: Buffer): void
  /** The same without waiting for the disk: a power cut may bring the version before back. */
  show(bytes: Buffer): void
  /** Saves a text that could not be used next to it; returns the path. */
  keep(text: string): string
}

/** Versions that ralph may have written before this incarnation, and the last one that others could edit. */
export type KnownVersions = { own: readonly Buffer[]; given: Buffer | null }

/** `root` is the project: nothing is written outside it. */
export function openListFile(root: PinnedFolder, path: string, { own, given }: KnownVersions): ListFile {
  const hasBytes = (bytes: Buffer) => bytesAt(path, { limit: LIMITS.text })?.equals(bytes) ?? false
  let written = own.findLast(hasBytes) ?? given
  const writeWith = (bytes: Buffer, replace: (path: string, bytes: Buffer, mode: number) => void) => {
    if (written?.equals(bytes) && hasBytes(bytes)) return
    // An agent may have cleaned the tree and removed this folder.
    forceReplace(root, path, entry => replace(entry, bytes, fileMode(root, path)))
    written = bytes
  }
  return {
    changed() {
      if (written === null || hasBytes(written)) return null
      const found = readOrMove(root, path)
      return Buffer.isBuffer(found) ? { text: found.toString(), written: written.toString() } : found
    },
    isThere: () => existsSync(path),
    isLost: () => written !== null && !isFilled(path),
    write: bytes => writeWith(bytes, replaceFile),
    show: bytes => writeWith(bytes, replaceFileUnsynced),
    keep: text => keepBroken(root, path, text),
  }
}

function isFilled(path: string): boolean {
  try {
    const found = statSync(path)
    return found.isFile() && found.size > 0
  } catch {
    return false
  }
}
