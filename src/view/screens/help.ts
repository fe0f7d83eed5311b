import type { Style } from '../style.ts'
import { cutTo } from '../width.ts'
import { type Size, tall } from './layout.ts'

/** The keys, and what each does. An empty one is a heading. */
const KEYS: readonly (readonly [keys: string, does: string])[] = [
  ['', 'Everywhere'],
  ['↑ ↓  j k', 'one line, or one entry'],
  ['PgUp PgDn  ^B ^F', 'one page'],
  ['Home End  g G', 'the beginning, the end'],
  ['Enter  →  l', 'open'],
  ['Esc  ←  h', 'back'],
  ['? ', 'these keys'],
  ['q', 'leave; no run is stopped by it'],
  ['', 'All runs'],
  ['s', 'sort by another column'],
  ['/', 'show only runs that have this text'],
  ['m', 'what the night brought; d diff, u undo (asks)'],
  ['', 'One run'],
  ['Tab  1 … 6', 'another panel: output, list, lanes, agents, checks, iterations'],
  ['Ctrl+T', 'the tasks beside the output'],
  ['f', 'follow the output'],
  ['o', 'the output of tools, whole or folded'],
  ['/  n N', 'search the output; the next, the one before'],
  ['', 'Steer it'],
  ['p', 'pause after this iteration'],
  ['r', 'go on; while it waits: try now'],
  ['i', 'add an instruction'],
  ['x', 'cancel (asks)'],
  ['K', 'kill a worker now (asks twice)'],
  ['c', 'copy the command that continues it'],
  ['', 'Its tasks'],
  ['a', 'answer the selected task, or the one that asks'],
  ['S', 'skip the selected task (asks)'],
  ['+ -', 'approve a story that is left for you; send it back'],
  ['H', 'allow the host that the sandbox refused (asks)'],
  ['e', 'edit its list, or its prompt, in $EDITOR'],
  ['P T L', 'prompt, stream, log of a check in $PAGER'],
]

/** The keys, in as many columns as fit. */
export function helpLines({ columns, rows }: Size, { colors }: Style): string[] {
  const lines = KEYS.map(([keys, does]) =>
    keys === '' ? colors.bold(` ${does}`) : `   ${keys.padEnd(18)}${does}`,
  )
  const per = Math.max(rows - 2, 1)
  const count = Math.ceil(lines.length / per)
  const width = Math.floor(columns / count)
  const body = Array.from({ length: per }, (_, row) =>
    Array.from({ length: count }, (_, column) => padded(lines[column * per + row] ?? '', width))
      .join('')
      .trimEnd(),
  )
  return tall([colors.bold(' Keys'), ...body, colors.dim(' any key closes this')], rows)
}

const padded = (line: string, width: number): string => {
  const cut = cutTo(line, width - 1)
  const shown = cut.replace(/\x1b\[[0-9;]*m/g, '')
  return cut + ' '.repeat(Math.max(width - [...shown].length, 0))
}
