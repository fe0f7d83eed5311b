import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { replaceFile } from './atomic.ts'

/** A file that ralph writes and others may edit. */
export interface ListFile {
  /** What others made of it since ralph wrote it; null if it is as ralph left it, or gone. */
  changed(): string | null
  /** Replaces it, unless it is that already. */
  write(bytes: Buffer): void
  /** Puts a text beside it that could not be used, and says where. */
  keep(text: string): string
}

/** `last`: what it holds if nobody touched it since the last sitting. */
export function openListFile(path: string, last: Buffer | null): ListFile {
  // Compared as bytes: of a long list, making a text of the file costs more than reading it.
  let written = last
  return {
    changed() {
      const found = read(path)
      return found === null || written?.equals(found) ? null : found.toString()
    },
    write(bytes) {
      if (written?.equals(bytes) && read(path)?.equals(bytes)) return
      mkdirSync(dirname(path), { recursive: true })
      replaceFile(path, bytes)
      written = bytes
    },
    keep(text) {
      let n = 1
      while (existsSync(`${path}.broken-${n}`)) n++
      replaceFile(`${path}.broken-${n}`, text)
      return `${path}.broken-${n}`
    },
  }
}

function read(path: string): Buffer | null {
  try {
    return readFileSync(path)
  } catch {
    return null
  }
}
