/** A longer line is cut, to bound the memory. No event of any agent is that long. */
export const MAX_LINE = 32 * 1024 * 1024

/** How much of a cut line is passed on. */
export const CUT_LINE = 64 * 1024

const EMPTY = Buffer.alloc(0)
const FIRST_SIZE = 64 * 1024
/** A buffer up to this size is kept for the next long line. A larger one is freed. */
const KEPT_SIZE = 8 * 1024 * 1024

const LF = 10
const CR = 13

export type LineSplitter = {
  push(chunk: Buffer): void
  /** Passes on the last line if it has no newline. */
  end(): void
}

/**
 * Splits bytes into lines of text. Each byte is copied at most a constant number of times, however the chunks are cut.
 * Invalid UTF-8 becomes U+FFFD; a character that two chunks share stays whole.
 */
export function splitLines(
  onLine: (line: string, cut: boolean) => void,
  { max = MAX_LINE, keep = CUT_LINE } = {},
): LineSplitter {
  // The beginning of a line whose newline has not come yet. Most agents write whole lines and need no buffer.
  let buffered: Buffer = EMPTY
  let size = 0
  /** The current line was cut: skip the rest of it. */
  let skipping = false

  function buffer(chunk: Buffer, from: number, to: number): void {
    const needed = size + to - from
    if (needed > buffered.length) {
      const larger = Buffer.allocUnsafe(Math.max(needed, buffered.length * 2, FIRST_SIZE))
      buffered.copy(larger, 0, 0, size)
      buffered = larger
    }
    chunk.copy(buffered, size, from, to)
    size = needed
  }

  function release(): void {
    size = 0
    if (buffered.length > KEPT_SIZE) buffered = EMPTY
  }

  function emit(bytes: Buffer, from: number, to: number): void {
    if (to - from > max) onLine(bytes.toString('utf8', from, Math.min(from + keep, to)), true)
    else onLine(bytes.toString('utf8', from, to > from && bytes[to - 1] === CR ? to - 1 : to), false)
  }

  function emitBuffered(): void {
    emit(buffered, 0, size)
    release()
  }

  return {
    push(chunk) {
      let from = 0
      for (let end = chunk.indexOf(LF); end >= 0; end = chunk.indexOf(LF, from)) {
        if (skipping) skipping = false
        else if (size === 0) emit(chunk, from, end)
        else {
          buffer(chunk, from, end)
          emitBuffered()
        }
        from = end + 1
      }
      if (skipping || from === chunk.length) return
      buffer(chunk, from, chunk.length)
      if (size > max) {
        skipping = true
        emitBuffered()
      }
    },
    end() {
      if (size > 0) emitBuffered()
    },
  }
}
