import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { replaceFile } from './atomic.ts'

/** A file that ralph writes and others may edit. */
export interface ListFile {
  /** What others made of it since ralph wrote it; null if it is as ralph left it, or gone. */
  changed(): string | null
  /** Replaces it, unless it is that already. */
  write(text: string): void
  /** Puts a text beside it that could not be used, and says where. */
  keep(text: string): string
}

/** `last`: what it holds if nobody touched it since the last sitting. */
export function openListFile(path: string, last: string | null): ListFile {
  let written = last
  return {
    changed() {
      const text = read(path)
      return text === null || text === written ? null : text
    },
    write(text) {
      if (text === written && read(path) === text) return
      mkdirSync(dirname(path), { recursive: true })
      replaceFile(path, text)
      written = text
    },
    keep(text) {
      let n = 1
      while (existsSync(`${path}.broken-${n}`)) n++
      replaceFile(`${path}.broken-${n}`, text)
      return `${path}.broken-${n}`
    },
  }
}

function read(path: string): string | null {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return null
  }
}
