import { cutPathTo, cutTo, widthOf, wrapTo } from './width.ts'

/** Makes lines fit the width of the terminal. */
export type Fit = {
  /** The width in columns; null: unlimited. */
  room: number | null
  /** Cuts a line to the width. */
  cut(line: string): string
  /** Puts three parts on one line. If they do not fit, the middle is cut first. */
  squeeze(before: string, middle: string, after: string): string
  /** Wraps a line into painted rows; rows after the first are indented by `hang`. */
  wrap(line: string, paint?: (row: string) => string, hang?: number): string[]
}

/** For a pipe or a file, where readers need whole lines. */
const WHOLE: Fit = {
  room: null,
  cut: line => line,
  squeeze: (before, middle, after) => before + middle + after,
  wrap: (line, paint) => [paint ? paint(line) : line],
}

/** A terminal that is narrower cuts the lines itself. */
const NARROWEST = 8

/** A shorter middle would say nothing. */
const LEAST_MIDDLE = 8

export function fitTo(columns: number | null): Fit {
  if (columns === null) return WHOLE
  const room = Math.max(columns, NARROWEST)
  return {
    room,
    cut: line => cutTo(line, room),
    squeeze(before, middle, after) {
      const left = Math.max(room - widthOf(before) - widthOf(after), LEAST_MIDDLE)
      return cutTo(before + cutPathTo(middle, left) + after, room)
    },
    wrap(line, paint, hang) {
      const rows = wrapTo(line, room, hang)
      return paint ? rows.map(paint) : rows
    },
  }
}

/** The same but narrower, for lines that are indented afterwards. */
export const narrowed = (fit: Fit, by: number): Fit => (fit.room === null ? fit : fitTo(fit.room - by))
