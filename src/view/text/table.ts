import { cutTo, widthOf } from './width.ts'

export type TableOptions = {
  /** How wide a row may be. Absent if it does not matter. */
  width?: number
  /** What is before each row. */
  margin?: string
  /** How wide each column is at least. */
  least?: readonly number[]
  /** The columns whose cells end below each other, as numbers do. */
  right?: readonly number[]
  /** How wide the last column is at least, however narrow a row must be. */
  room?: number
  /** Shortens a last cell that is too wide. */
  cut?: (cell: string, room: number) => string
  /** Breaks a last cell into rows instead, which stay in its column. `row`: which row of the table it is in. */
  wrap?: (cell: string, room: number, row: number) => string[]
}

const GAP = '  '

/**
 * Rows of plain or coloured cells as lines whose columns are below each other. A column is as wide as its widest cell; the
 * last one gets what is left of `width`.
 */
export function table(rows: readonly (readonly string[])[], options: TableOptions = {}): string[] {
  const { width = Number.POSITIVE_INFINITY, margin = '', least = [], right = [], room = 8 } = options
  const { cut = cutTo, wrap } = options
  const last = (rows[0]?.length ?? 0) - 1
  const widths = Array.from({ length: last + 1 }, (_, at) =>
    rows.reduce((widest, row) => Math.max(widest, widthOf(row[at]!)), least[at] ?? 0),
  )
  const pad = (cell: string, at: number) => {
    const space = ' '.repeat(Math.max(widths[at]! - widthOf(cell), 0))
    return right.includes(at) ? space + cell : cell + space
  }
  const before = widths.slice(0, last).reduce((sum, width) => sum + width + GAP.length, widthOf(margin))
  const left = Math.max(width - before, room)
  return rows.flatMap((row, index) => {
    const head =
      margin +
      row
        .slice(0, last)
        .map((cell, at) => pad(cell, at) + GAP)
        .join('')
    const cell = row[last]!
    if (!wrap)
      return cutTo(`${head}${cut(right.includes(last) ? pad(cell, last) : cell, left)}`.trimEnd(), width)
    const [first = '', ...more] = wrap(cell, left, index)
    return [`${head}${first}`.trimEnd(), ...more.map(line => ' '.repeat(before) + line)]
  })
}
