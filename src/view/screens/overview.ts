import { formatUsd, plural } from '../../core/format.ts'
import { formatNeed } from '../morning/words.ts'
import type { Phase } from '../report/ending.ts'
import type { Spent } from '../report/spent.ts'
import type { Style } from '../style.ts'
import { plainLine } from '../text/plain.ts'
import { cutPathTo, cutTo, endTo, widthOf } from '../text/width.ts'
import { elapsedText } from '../time.ts'
import { ends, fill, type Size, tall, windowOf } from './layout.ts'
import type { Model, OverviewRow } from './model.ts'
import type { Sort, UiState } from './ui-state.ts'

const HOUR = 3_600_000

/** All runs and workers: who needs a person on top. */
export function overviewLines(
  { rows, now, loading }: Model,
  ui: UiState,
  size: Size,
  style: Style,
): string[] {
  const { colors } = style
  const shown = shownRows(rows, ui)
  const needy = rows.filter(row => row.needs.length > 0).length
  const atWork = rows.filter(row => row.isAtWork).length
  const facts = [
    colors.bold('ralph'),
    plural(rows.length, 'run'),
    `${atWork} at work`,
    needy > 0 && colors.yellow(`${needy} ${needy === 1 ? 'needs' : 'need'} you`),
    loading > 0 && colors.dim(`reading ${loading} more`),
  ].filter(Boolean)
  const order = [`sorted by ${ui.sort}`, ui.filter !== '' && `only "${plainLine(ui.filter, 20)}"`]
  const head = ends(` ${facts.join(' · ')}`, `${order.filter(Boolean).join(' · ')} `, size.columns)
  const table = tableFor(size.columns, shown, now)
  const titles = colors.dim(
    fill(` ${table.map(({ title, width }) => fill(title, width)).join(' ')}`, size.columns),
  )
  const body =
    shown.length === 0
      ? emptyLines(rows.length, ui, loading)
      : rowLines(shown, ui, size, style, table, now, size.rows - 2)
  return [head, titles, ...tall(body, size.rows - 2)]
}

const emptyLines = (all: number, { filter }: UiState, loading: number): string[] => [
  '',
  filter !== ''
    ? ` No run has "${plainLine(filter, 40)}" in it; Esc clears the filter.`
    : all === 0 && loading === 0
      ? ' No run yet. Start one with: ralph spawn -f PROMPT.md; or see one: ralph demo'
      : ' Reading the journals …',
]

/** The run that keys are about. */
export function selectedRow(ui: UiState, model: Model): OverviewRow | null {
  if (ui.screen === 'run') return model.run?.row ?? null
  const shown = shownRows(model.rows, ui)
  return shown.find(row => row.id === ui.row) ?? shown[0] ?? null
}

/** The rows as they are sorted and filtered now. */
export function shownRows(rows: readonly OverviewRow[], { sort, filter }: Pick<UiState, 'sort' | 'filter'>) {
  const wanted = filter.toLowerCase()
  const matching = rows.filter(
    row =>
      wanted === '' ||
      [row.name, row.id, row.status, row.command, row.project, row.at, row.agent].some(text =>
        text.toLowerCase().includes(wanted),
      ),
  )
  return [...matching].sort(
    (a, b) => Number(b.needs.length > 0) - Number(a.needs.length > 0) || BY[sort](a, b) || b.began - a.began,
  )
}

/** Who is at work before who is not. */
const PHASES: readonly Phase[] = ['running', 'waiting', 'paused', 'crashed', 'stopped', 'finished']

const byPhase = (a: OverviewRow, b: OverviewRow) => PHASES.indexOf(a.phase) - PHASES.indexOf(b.phase)

const BY: Readonly<Record<Sort, (a: OverviewRow, b: OverviewRow) => number>> = {
  needs: (a, b) => Number(b.isAtWork) - Number(a.isAtWork),
  name: (a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0),
  status: byPhase,
  time: (a, b) => b.began - a.began,
  cost: (a, b) => (b.spent.usd ?? -1) - (a.spent.usd ?? -1),
}

type Column = {
  title: string
  /** How wide it may be. */
  least: number
  most: number
  of(row: OverviewRow, now: number): string
  /** Shortens what is too long; else its end is cut. */
  cut?(text: string, width: number): string
}
type Table = readonly (Column & { width: number })[]

/** The last column says less than this nothing, and is left out. */
const LEAST_LAST = 8
/** For which other columns are made narrower. */
const WANTED_LAST = 16

/** What fits, from what matters most. Columns are as wide as their cells; the last one gets the rest. */
function tableFor(columns: number, rows: readonly OverviewRow[], now: number): Table {
  const isWide = columns >= 110
  // The ends of ids differ, and so do those of most names.
  const name: Column = { title: 'NAME', least: 12, most: 20, of: row => plainLine(row.name), cut: endTo }
  const status: Column = { title: 'STATUS', least: 8, most: 12, of: row => row.status }
  const at: Column = { title: 'AT', least: 5, most: isWide ? 28 : 12, of: row => plainLine(row.at) }
  const fixed: Column[] = [
    name,
    status,
    { title: 'WORKFLOW', least: 8, most: 8, of: row => plainLine(row.command) },
    at,
    ...(isWide
      ? [{ title: 'AGENT', least: 9, most: 9, of: (row: OverviewRow) => plainLine(row.agent) }]
      : []),
    { title: 'TIME', least: 7, most: 7, of: (row, now) => elapsed(row, now) },
    { title: 'COST', least: 7, most: 9, of: row => costOf(row.spent) },
    ...(isWide ? [{ title: '$/H', least: 7, most: 8, of: burnRate }] : []),
  ]
  const widths = new Map(
    fixed.map(column => {
      const widest = Math.max(column.least, ...rows.map(row => widthOf(column.of(row, now))))
      return [column, Math.min(widest, column.most)]
    }),
  )
  const room = () => columns - 1 - [...widths.values()].reduce((sum, width) => sum + width + 1, 1)
  for (const [column, shortest] of [
    [at, 9],
    [name, 12],
    [status, 8],
  ] as const) {
    const width = widths.get(column)!
    const missing = Math.max(WANTED_LAST - room(), 0)
    widths.set(column, Math.max(width - missing, Math.min(width, shortest)))
  }
  const table = fixed.map(column => ({ ...column, width: widths.get(column)! }))
  const width = room()
  return width < LEAST_LAST
    ? table
    : [...table, { title: 'LAST', least: LEAST_LAST, most: width, width, of: row => row.last }]
}

const elapsed = ({ began, isAtWork, lastAt }: OverviewRow, now: number): string =>
  elapsedText((isAtWork ? now : lastAt) - began)

const costOf = ({ usd, estimated, unpriced }: Spent): string =>
  usd === null ? (unpriced === 0 ? '–' : '?') : `${formatUsd(usd, estimated)}${unpriced > 0 ? '+' : ''}`

/** Dollars an hour, since it began. */
function burnRate({ spent, began, isAtWork, lastAt }: OverviewRow, now: number): string {
  const ms = (isAtWork ? now : lastAt) - began
  return spent.usd === null || ms < 1000 ? '–' : formatUsd((spent.usd * HOUR) / ms, spent.estimated)
}

function rowLines(
  shown: readonly OverviewRow[],
  ui: UiState,
  size: Size,
  { colors, marks }: Style,
  table: Table,
  now: number,
  room: number,
): string[] {
  const selected = Math.max(
    shown.findIndex(row => row.id === ui.row),
    0,
  )
  const { from, to } = windowOf(selected, shown.length, room)
  return shown.slice(from, to).flatMap((row, index) => {
    const isSelected = from + index === selected
    const mark = isSelected ? '›' : row.needs.length > 0 ? marks.warn : ' '
    const cells = table.map(({ width, of, cut = cutTo }) => fill(cut(of(row, now), width), width)).join(' ')
    const line = cutTo(`${mark}${cells}`, size.columns)
    const paint = isSelected
      ? colors.inverse
      : row.needs.length > 0
        ? colors.yellow
        : row.isAtWork
          ? (text: string) => text
          : colors.dim
    const why = row.needs.map(need =>
      colors.yellow(cutTo(`   ${marks.warn} ${formatNeed(need)}`, size.columns)),
    )
    const where =
      isSelected && row.needs.length === 0
        ? [colors.dim(`   ${cutPathTo(plainLine(row.project, 1000), size.columns - 4)}`)]
        : []
    return [paint(line), ...why, ...where]
  })
}
