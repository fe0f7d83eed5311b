import { printableLine } from '../core/visible.ts'

/** Where frames go. */
export type ScreenOutput = {
  write(text: string): unknown
  /** What the terminal has not taken yet. */
  writableLength?: number
}

/** A terminal that knows these shows all of a frame at once; others ignore them. */
const BEGIN = '\x1b[?2026h'
const END = '\x1b[?2026l'

/**
 * Draws frames: only the lines that changed. A terminal obeys nothing in a line but ralph's own colours, and a line cannot
 * leave its row.
 */
export function renderer(out: ScreenOutput): {
  /** Returns whether it was drawn; not while the terminal is behind. */
  draw(lines: readonly string[]): boolean
  /** The next frame is drawn whole. */
  forget(): void
} {
  let shown: readonly string[] | null = null
  return {
    draw(lines) {
      if ((out.writableLength ?? 0) > 0) return false
      const before = shown
      const changed = lines.flatMap((line, row) =>
        before?.[row] === line ? [] : `\x1b[${row + 1};1H\x1b[2K${printableLine(line, true)}\x1b[0m`,
      )
      const isNew = before === null || before.length !== lines.length
      shown = lines
      if (changed.length > 0 || isNew)
        out.write(`${BEGIN}${isNew ? '\x1b[2J' : ''}${isNew ? wholeOf(lines) : changed.join('')}${END}`)
      return true
    },
    forget() {
      shown = null
    },
  }
}

const wholeOf = (lines: readonly string[]): string =>
  lines.map((line, row) => `\x1b[${row + 1};1H${printableLine(line, true)}\x1b[0m`).join('')
