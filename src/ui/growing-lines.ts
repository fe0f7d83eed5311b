import { statSync } from 'node:fs'
import { splitLines } from '../runners/process/lines.ts'
import { bytesFrom } from '../store/files/read.ts'

/** The lines of a file that grows. */
export type GrowingLines = {
  /** Reads on, a piece at most. Returns whether there is more to read now. */
  read(): boolean
}

const PIECE = 1024 * 1024

/**
 * `most`: of a file that is ahead by more, only the end is read, without the line that this cuts in two. A file that became
 * shorter is another one, and is read from its beginning.
 */
export function growingLines(
  path: string,
  onLine: (line: string) => void,
  { most = Number.POSITIVE_INFINITY }: { most?: number } = {},
): GrowingLines {
  let from = 0
  let isCut = false
  const take = (line: string) => {
    if (isCut) isCut = false
    else onLine(line)
  }
  let lines = splitLines(take)
  return {
    read() {
      const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0
      if (size < from || size - from > most) {
        from = size < from ? 0 : size - most
        isCut = from > 0
        lines = splitLines(take)
      }
      if (size === from) return false
      const bytes = bytesFrom(path, from, PIECE)
      from += bytes.length
      lines.push(bytes)
      return bytes.length > 0 && from < size
    },
  }
}
