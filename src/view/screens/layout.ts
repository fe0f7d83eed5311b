import type { Style } from '../style.ts'
import { cutTo, widthOf } from '../text/width.ts'

/** The size of the terminal. */
export type Size = { columns: number; rows: number }

/** The part of a screen that a panel is drawn in. */
export type Pane = Size & { style: Style }

/** A line that takes exactly this many columns: cut, or filled with spaces. */
export function fill(line: string, columns: number): string {
  const cut = cutTo(line, columns)
  return cut + ' '.repeat(Math.max(columns - widthOf(cut), 0))
}

/** Two texts at both ends of a line. If they do not fit, the left one is cut. */
export function ends(left: string, right: string, columns: number): string {
  const room = columns - widthOf(right)
  return room < 8 ? cutTo(left, columns) : `${fill(left, room)}${right}`
}

/** Two blocks side by side, as high as the higher one. */
export function beside(
  left: readonly string[],
  right: readonly string[],
  leftColumns: number,
  gap: string,
): string[] {
  const height = Math.max(left.length, right.length)
  return Array.from({ length: height }, (_, row) =>
    `${fill(left[row] ?? '', leftColumns)}${gap}${right[row] ?? ''}`.trimEnd(),
  )
}

/** Exactly this many lines: cut, or filled with empty ones. */
export const tall = (lines: readonly string[], rows: number): string[] =>
  Array.from({ length: Math.max(rows, 0) }, (_, row) => lines[row] ?? '')

export const rule = (columns: number, { colors }: Style, title = ''): string => {
  const text = title === '' ? '' : `─ ${title} `
  return colors.dim(cutTo(`${text}${'─'.repeat(Math.max(columns - widthOf(text), 0))}`, columns))
}

/** `██████░░░░ 6/10`. */
export function progressBar(done: number, all: number, columns: number): string {
  const text = ` ${done}/${all}`
  const room = Math.max(columns - text.length, 4)
  const full = all === 0 ? 0 : Math.floor((done / all) * room)
  return `${'█'.repeat(full)}${'░'.repeat(room - full)}${text}`
}

/** Which entries of a list are shown, so that the selected one is among them: from, and how many. */
export function windowOf(selected: number, count: number, rows: number): { from: number; to: number } {
  const from = Math.min(Math.max(selected - Math.floor(rows / 2), 0), Math.max(count - rows, 0))
  return { from, to: Math.min(from + rows, count) }
}
