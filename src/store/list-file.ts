import { closeSync, existsSync, readSync, statSync } from 'node:fs'
import { replaceFile, replaceFileUnsynced } from './files/atomic.ts'
import { clearPath } from './files/force-replace.ts'
import { openRegularFile, textAt } from './files/regular-file.ts'

/** A file that ralph writes and others may edit. */
export interface ListFile {
  /** What others made of it, and of what; null if it is as ralph left it, or gone. */
  changed(): { text: string; written: string } | null
  isThere(): boolean
  /** It was written once, and is gone or no file any more, or a power cut left it empty. */
  isLost(): boolean
  /** Replaces it, unless it is that already. */
  write(bytes: Buffer): void
  /** The same, but it may be that only what was there before survives a power cut. */
  show(bytes: Buffer): void
  /** Puts a text beside it that could not be used, and says where. */
  keep(text: string): string
}

/** What the file may hold by ralph's own hand when a sitting begins, and what of it others were given last. */
export type Handed = { own: readonly Buffer[]; given: Buffer | null }

export function openListFile(path: string, { own, given }: Handed): ListFile {
  let written = own.findLast(bytes => holds(path, bytes)) ?? given
  const put = (bytes: Buffer, replace: (path: string, bytes: Buffer) => void) => {
    if (written?.equals(bytes) && holds(path, bytes)) return
    // An agent may have cleaned the tree, and this folder with it.
    clearPath(path)
    replace(path, bytes)
    written = bytes
  }
  return {
    changed() {
      if (written === null || holds(path, written)) return null
      const text = textAt(path)
      return text === null ? null : { text, written: written.toString() }
    },
    isThere: () => existsSync(path),
    isLost: () => written !== null && !isFilled(path),
    write: bytes => put(bytes, replaceFile),
    show: bytes => put(bytes, replaceFileUnsynced),
    keep: text => keepBroken(path, text),
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

/** What of a file is looked at together; nobody else looks meanwhile. */
const page = Buffer.allocUnsafe(64 * 1024)

/** Whether the file has exactly these bytes. Page by page: a long list is looked at twice in every iteration. */
function holds(path: string, bytes: Buffer): boolean {
  let fd: number | undefined
  try {
    fd = openRegularFile(path)
    for (let from = 0; ; ) {
      const length = readSync(fd, page)
      if (length === 0) return from === bytes.length
      if (!page.subarray(0, length).equals(bytes.subarray(from, from + length))) return false
      from += length
    }
  } catch {
    return false
  } finally {
    if (fd !== undefined) closeSync(fd)
  }
}

/** Puts a text beside a file, under a name that tells what it is. */
export function keepBroken(path: string, text: string): string {
  let n = 1
  while (existsSync(`${path}.broken-${n}`)) n++
  replaceFile(`${path}.broken-${n}`, text)
  return `${path}.broken-${n}`
}
