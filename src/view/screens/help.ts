import type { Style } from '../style.ts'
import { widthOf } from '../text/width.ts'
import { fill, type Size, tall } from './layout.ts'

/** The keys, and what each does. An empty one is a heading. */
const KEYS: readonly (readonly [keys: string, does: string])[] = [
  ['', 'Everywhere'],
  ['↑ ↓  j k', 'one line, or one entry'],
  ['PgUp PgDn  ^B ^F', 'one page'],
  ['Home End  g G', 'the beginning, the end'],
  ['Enter  →  l', 'open'],
  ['Esc  ←  h', 'back'],
  ['?', 'these keys'],
  ['q', 'leave; this stops no run'],
  ['', 'All runs'],
  ['s', 'sort by another column'],
  ['/', 'show only runs that have this text'],
  ['m', 'the morning report'],
  ['d  u', 'in it: show the diff, undo (asks)'],
  ['', 'One run'],
  ['Tab  1 … 6', 'the next panel, or this one'],
  ['Ctrl+T', 'show or hide the tasks'],
  ['f', 'follow the output'],
  ['o', 'the output of tools, whole or folded'],
  ['/  n N', 'search the output; next up, next down'],
  ['', 'Steer it'],
  ['p', 'pause after this iteration'],
  ['r', 'go on; while it waits: try now'],
  ['i', 'add an instruction'],
  ['x', 'cancel (asks)'],
  ['K', 'kill a worker now (asks twice)'],
  ['c', 'copy the command that continues it'],
  ['', 'Its tasks'],
  ['a', 'answer the selected or asking task'],
  ['S', 'skip the selected task (asks)'],
  ['+', 'approve a story left for you (asks)'],
  ['-', 'send it back, with the reason'],
  ['H', 'let it reach a refused host (asks)'],
  ['e', 'edit its list or prompt in $EDITOR'],
  ['P T L', 'prompt, stream or check log in $PAGER'],
]

/** One page of the keys, in as many columns as fit side by side. */
export function helpLines(size: Size, { colors }: Style, page: number): string[] {
  const { per, columns, width, pages } = layoutIn(size)
  const lines = KEYS.map(([keys, does]) => (keys === '' ? colors.bold(` ${does}`) : lineOf(keys, does)))
  const first = page * per * columns
  const body = Array.from({ length: per }, (_, row) =>
    Array.from({ length: columns }, (_, column) => fill(lines[first + column * per + row] ?? '', width))
      .join('')
      .trimEnd(),
  )
  const closing = page + 1 < pages ? ' any key shows more · Esc closes this' : ' any key closes this'
  return tall([colors.bold(' Keys'), ...body, colors.dim(closing)], size.rows)
}

/** The page that a key leads to. Null if it closes them. */
export const helpAfter = (page: number, key: string, size: Size): number | null =>
  key === 'escape' || page + 1 >= layoutIn(size).pages ? null : page + 1

/** `per`: lines on a page, without the title and the last line. */
function layoutIn({ columns: room, rows }: Size) {
  const per = Math.max(rows - 2, 1)
  const longest = Math.max(...KEYS.map(([keys, does]) => widthOf(lineOf(keys, does))))
  const columns = Math.max(Math.floor(room / (longest + 2)), 1)
  return { per, columns, width: Math.floor(room / columns), pages: Math.ceil(KEYS.length / (per * columns)) }
}

const lineOf = (keys: string, does: string): string => `   ${keys.padEnd(18)}${does}`
