import stringWidth from 'string-width'

let segmenter: Intl.Segmenter | undefined

/** Created on first use, because that takes longer than most of what ralph does at its start. */
function segments(text: string): Intl.Segments {
  segmenter ??= new Intl.Segmenter()
  return segmenter.segment(text)
}

/**
 * Only characters of one column each: ASCII, Latin, and the dashes, arrows, lines, blocks and marks that screens are made of.
 * Nearly all lines are like that, and to measure others takes much longer.
 */
export const NARROW =
  /^[\x20-\x7e\xa1-\xac\xae-\xff\u2010-\u2015\u2018-\u2027\u2030-\u203a\u2190-\u2199\u2500-\u25fc\u2713\u2717]*$/
const ELLIPSIS = '…'

/** No character with all its marks is longer. It bounds how much of a long text has to be looked at. */
const LONGEST_GRAPHEME = 32

/** How many columns of a terminal a text takes; colours take none. For short texts. */
export function widthOf(text: string): number {
  if (NARROW.test(text)) return text.length
  const bare = withoutColours(text)
  if (NARROW.test(bare)) return bare.length
  let width = 0
  for (const { segment } of segments(bare)) width += widthOfGrapheme(segment)
  return width
}

/** Measured graphemes. A text has few different ones, and the width of each stays the same. Emptied when it is full. */
const measured = new Map<string, number>()
const MOST_MEASURED = 1000

function widthOfGrapheme(grapheme: string): number {
  if (NARROW.test(grapheme)) return grapheme.length
  const known = measured.get(grapheme)
  if (known !== undefined) return known
  const width = stringWidth(grapheme)
  if (grapheme.length > LONGEST_GRAPHEME) return width
  if (measured.size === MOST_MEASURED) measured.clear()
  measured.set(grapheme, width)
  return width
}

const COLOURS = /\x1b\[[0-9;]*m/g

/** What a line says, without its colours. */
export const withoutColours = (line: string): string => line.replace(COLOURS, '')

/** Cuts a line, which may contain colours, to at most this many columns, and marks the cut. */
export function cutTo(line: string, columns: number): string {
  if (fits(line, columns)) return line
  let room = columns - 1
  let shown = ''
  for (const piece of piecesOf(line)) {
    // Colour codes after the cut stay too: a colour that was opened must be closed.
    if (piece.startsWith('\x1b')) shown += piece
    else if (room >= 0) {
      const { head, width } = headOf(piece, room)
      shown += head
      room -= width
      if (head.length < piece.length) {
        shown += ELLIPSIS
        room = -1
      }
    }
  }
  return shown
}

/** The same for a path, whose end says more than its beginning. */
export const cutPathTo = (path: string, columns: number): string =>
  /^\/\S*$/.test(path) ? endTo(path, columns) : cutTo(path, columns)

/** As much of the end of a text as fits, with a mark for the beginning that does not. */
export function endTo(text: string, columns: number): string {
  if (fits(text, columns)) return text
  let end = text.slice(-columns * LONGEST_GRAPHEME)
  for (const { segment } of segments(end)) {
    if (fits(end, columns - 1)) break
    end = end.slice(segment.length)
  }
  return `${ELLIPSIS}${end}`
}

/** Whether a text takes at most this many columns; colours take none. */
export function fits(text: string, columns: number): boolean {
  let room = columns
  return piecesOf(text).every(piece => {
    if (piece.startsWith('\x1b')) return true
    const { head, width } = headOf(piece, room)
    room -= width
    return head.length === piece.length
  })
}

/** The colours of a text, and what is between them. */
const piecesOf = (text: string): readonly string[] =>
  text.includes('\x1b') ? (text.match(/\x1b\[[0-9;]*m|[^\x1b]+/g) ?? []) : [text]

/** As much of the beginning as fits, and how many columns that takes. For texts without colours. */
export function headOf(text: string, columns: number): { head: string; width: number } {
  if (columns <= 0) return { head: '', width: 0 }
  const near = text.slice(0, columns + 1)
  if (NARROW.test(near)) {
    const head = near.slice(0, columns)
    return { head, width: head.length }
  }
  let end = 0
  let width = 0
  for (const { segment } of segments(text.slice(0, (columns + 1) * LONGEST_GRAPHEME))) {
    const wider = width + widthOfGrapheme(segment)
    if (wider > columns) break
    width = wider
    end += segment.length
  }
  return { head: text.slice(0, end), width }
}

/** The first character, with all its marks. */
export const firstOf = (text: string): string =>
  segments(text.slice(0, LONGEST_GRAPHEME))[Symbol.iterator]().next().value?.segment ?? text
