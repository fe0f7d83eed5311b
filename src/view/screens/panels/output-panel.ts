import type { Style } from '../../style.ts'
import { cutTo, withoutColours } from '../../text/width.ts'
import { tall } from '../layout.ts'
import type { OutputView } from '../model.ts'

/** Where the shown part begins, counted from the very beginning of the output. */
export function topOf({ lines, dropped }: OutputView, top: number | null, rows: number): number {
  const last = Math.max(dropped + lines.length - rows, dropped)
  return top === null ? last : Math.min(Math.max(top, dropped), last)
}

/** The part of the output that a person looks at. What is searched for is marked. */
export function outputPanel(
  output: OutputView,
  { top, search }: { top: number | null; search: string },
  columns: number,
  rows: number,
  { colors }: Style,
): string[] {
  const from = topOf(output, top, rows) - output.dropped
  const wanted = search.toLowerCase()
  const lines = output.lines.slice(from, from + rows).map(line => {
    const isFound = wanted !== '' && withoutColours(line).toLowerCase().includes(wanted)
    return isFound ? colors.inverse(cutTo(withoutColours(line), columns)) : cutTo(line, columns)
  })
  return tall(lines, rows)
}

/** The next line that has the text, before or after a line. Null if there is none. */
export function findLine(
  { lines, dropped }: OutputView,
  search: string,
  from: number,
  direction: 1 | -1,
): number | null {
  const wanted = search.toLowerCase()
  for (let at = from - dropped; at >= 0 && at < lines.length; at += direction)
    if (withoutColours(lines[at]!).toLowerCase().includes(wanted)) return at + dropped
  return null
}
