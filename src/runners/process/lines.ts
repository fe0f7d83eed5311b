/** A longer line is not kept whole: no event of any agent is that long, and memory is finite. */
export const MAX_LINE = 32 * 1024 * 1024

/** How much of an overlong line is still handed over. */
export const CUT_LINE = 64 * 1024

const NO_ROOM = Buffer.alloc(0)
const FIRST_ROOM = 64 * 1024
/** Room that is kept for the next long line; more is given back. */
const KEPT_ROOM = 8 * 1024 * 1024

const LF = 10
const CR = 13

export type LineSplitter = {
  push(chunk: Buffer): void
  /** Hands over the last line, if it had no newline. */
  end(): void
}

/**
 * Cuts bytes into lines of text. Every byte is copied at most a constant number of times, whatever
 * the chunks are; bytes that are no UTF-8 come as U+FFFD, a character cut by a chunk comes whole.
 */
export function splitLines(
  onLine: (line: string, cut: boolean) => void,
  { max = MAX_LINE, keep = CUT_LINE } = {},
): LineSplitter {
  // The beginning of a line whose newline has not come yet. Most agents write whole lines, and need no room.
  let held: Buffer = NO_ROOM
  let size = 0
  /** The current line was handed over cut: nothing of it is of interest until its newline. */
  let skipping = false

  function hold(chunk: Buffer, from: number, to: number): void {
    const needed = size + to - from
    if (needed > held.length) {
      const larger = Buffer.allocUnsafe(Math.max(needed, held.length * 2, FIRST_ROOM))
      held.copy(larger, 0, 0, size)
      held = larger
    }
    chunk.copy(held, size, from, to)
    size = needed
  }

  function release(): void {
    size = 0
    if (held.length > KEPT_ROOM) held = NO_ROOM
  }

  function give(bytes: Buffer, from: number, to: number): void {
    if (to - from > max) onLine(bytes.toString('utf8', from, Math.min(from + keep, to)), true)
    else onLine(bytes.toString('utf8', from, to > from && bytes[to - 1] === CR ? to - 1 : to), false)
  }

  function giveHeld(): void {
    give(held, 0, size)
    release()
  }

  return {
    push(chunk) {
      let from = 0
      for (let at = chunk.indexOf(LF); at >= 0; at = chunk.indexOf(LF, from)) {
        if (skipping) skipping = false
        else if (size === 0) give(chunk, from, at)
        else {
          hold(chunk, from, at)
          giveHeld()
        }
        from = at + 1
      }
      if (skipping || from === chunk.length) return
      hold(chunk, from, chunk.length)
      if (size > max) {
        skipping = true
        giveHeld()
      }
    },
    end() {
      if (size > 0) giveHeld()
    },
  }
}
