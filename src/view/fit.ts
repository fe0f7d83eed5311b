import { cutPathTo, cutTo, widthOf, wrapTo } from './width.ts'

/** How lines are made to fit where they are shown. */
export type Fit = {
  /** How many columns there are; null: as many as it takes. */
  room: number | null
  /** One line stays one line. */
  cut(line: string): string
  /** One line stays one line, and what is in the middle gives way. */
  squeeze(before: string, middle: string, after: string): string
  /** Words go on in the next row, the same paint on each. */
  wrap(line: string, paint?: (row: string) => string, hang?: number): string[]
}

/** In a pipe, lines stay as they are: whoever reads them there wants them whole. */
const WHOLE: Fit = {
  room: null,
  cut: line => line,
  squeeze: (before, middle, after) => before + middle + after,
  wrap: (line, paint) => [paint ? paint(line) : line],
}

/** With less than this, lines are cut by the terminal. */
const NARROWEST = 8

/** With less than this, a middle tells nothing. */
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

/** The same with less room, for lines that are then indented. */
export const narrowed = (fit: Fit, by: number): Fit => (fit.room === null ? fit : fitTo(fit.room - by))
