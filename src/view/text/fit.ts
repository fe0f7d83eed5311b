import { cutPathTo, cutTo, firstOf, fits, headOf, widthOf, withoutColours } from './width.ts'

/** Makes lines fit the width of the terminal. */
export type Fit = {
  /** The width in columns. Null if it is unlimited. */
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

/**
 * Wraps a line into rows of at most this many columns, between words if possible; later rows are indented by `hang`.
 * `isWhole`: a word that is longer than a row stays whole, and sticks out.
 */
export function wrapTo(line: string, columns: number, hang = hangOf(line), isWhole = false): string[] {
  if (fits(line, columns)) return [line]
  const indent = ' '.repeat(Math.min(hang, columns >> 1))
  const rows: string[] = []
  let row = ''
  let room = columns
  for (const [, gap = '', word = ''] of line.matchAll(/( *)([^ ]+)/g)) {
    if (row === '') {
      row = gap.slice(0, columns >> 1)
      room -= row.length
    } else if (fits(word, room - gap.length)) {
      row += gap
      room -= gap.length
    } else {
      rows.push(row)
      row = indent
      room = columns - indent.length
    }
    let rest = word
    while (!isWhole && !fits(rest, room)) {
      const head = breakOf(rest, room)
      rows.push(row + head)
      rest = rest.slice(head.length)
      row = indent
      room = columns - indent.length
    }
    row += rest
    room -= widthOf(rest)
  }
  return row === indent ? rows : [...rows, row]
}

/** The beginning of a word that is longer than a row: up to where one of its parts ends, or else as much as fits. */
function breakOf(word: string, columns: number): string {
  const { head } = headOf(word, columns)
  return head.slice(0, Math.max(head.lastIndexOf(','), head.lastIndexOf('/')) + 1) || head || firstOf(word)
}

/** Where the words of a line begin: after its indent, and after the bullet or number of a list item. */
const hangOf = (line: string): number => /^ *(?:(?:[-*•]|\d{1,3}[.)]) +)?/.exec(line)![0].length

/** The same for a line with colours: a row of a header or of a list of tasks goes on below its value. Words stay whole. */
export function wrapStyled(line: string, columns: number): string[] {
  const text = withoutColours(line)
  const [head = ''] = /^(?: {2}(?:\w+ {2,}| {9,})(?=\S)| *\[.\] )/.exec(text) ?? []
  return wrapTo(line, columns, head.length || /^ */.exec(text)![0].length + 2, true)
}

/** The same for a text that must be shown whole: the rows together are the line, its spaces included. */
export function splitTo(line: string, columns: number): string[] {
  const rows: string[] = []
  let rest = line
  while (!fits(rest, columns)) {
    const head = headOf(rest, columns).head || firstOf(rest)
    const row = head.slice(0, head.lastIndexOf(' ') + 1) || head
    rows.push(row)
    rest = rest.slice(row.length)
  }
  return [...rows, rest]
}
