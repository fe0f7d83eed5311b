import { atMost } from '../core/format.ts'
import type { Style } from './style.ts'
import { fitTo, wrapTo } from './text/fit.ts'
import { LONGEST_LINE, plainLine } from './text/plain.ts'
import { table } from './text/table.ts'
import { cutTo, widthOf } from './text/width.ts'

/** What a report says, before it is laid out. Every text is plain and in one line. */
export type Page = {
  title: string
  /** How it went, which people read first. Absent if the title says it all. */
  result?: Said
  /** What is known of it as a whole, by name. */
  facts: readonly (readonly [name: string, value: string])[]
  /** What it did, one by one. */
  table: PageTable | null
  sections: readonly Section[]
  /** The command that continues it. Null if there is nothing to continue. */
  goOn: string | null
}

/** Good news or bad. */
export type Tone = 'good' | 'middling' | 'bad'

/** A text, and how it is meant. `quiet`: it matters less than what is around it. */
export type Said = { text: string; tone?: Tone | 'quiet' }

/** `right`: the columns that hold numbers. `least`: how wide each column is at least. */
export type PageTable = {
  head: readonly string[]
  right: readonly number[]
  least?: readonly number[]
  margin?: string
  rows: readonly PageRow[]
}

/** `about`: what tells this row from the others, or ''. `details`: what belongs to it, an entry each. */
type PageRow = { cells: readonly Said[]; about: string; details: readonly Said[] }

/** `most`: how many entries a terminal shows; `more` says what is left out. */
export type Section = {
  title: string
  table?: PageTable
  entries: readonly Entry[]
  most: number
  more(n: number): string
}

/** What belongs together, line by line. */
export type Entry = readonly Line[]

/** A text that is broken into rows, or one row whose middle is cut, or several texts, as many in a row as fit. */
export type Line =
  | (Said & { indent: number; hang?: number })
  | { before: string; middle: string; after: Said; tone?: 'title' }
  | { parts: readonly string[]; indent: number }

/** Colours, and the width of the terminal. */
type Pen = { colors: Style['colors']; width: number }

/** A page as lines for a terminal. */
export function terminalPage(page: Page, { colors }: Style, width: number): string[] {
  const pen = { colors, width }
  return [
    ...wrapTo(page.title, width).map(colors.bold),
    ...factLines(page, pen),
    ...(page.table ? ['', ...tableLines(page.table, pen)] : []),
    ...page.sections.flatMap(section => ['', colors.bold(section.title), ...sectionLines(section, pen)]),
    ...(page.goOn === null ? [] : ['', `${colors.bold('to go on')}  ${page.goOn}`]),
  ]
}

function factLines({ result, facts }: Page, { colors, width }: Pen): string[] {
  const all = [...(result ? [['result', result.text] as const] : []), ...facts]
  const wrap = (value: string, room: number, row: number) =>
    wrapTo(value, room).map(painterOf(colors, row === 0 ? result?.tone : undefined))
  return table(
    all.map(([name, value]) => [colors.dim(name), value]),
    { margin: '  ', width, wrap },
  )
}

/** Details are below their row, and never longer than a line. */
function tableLines({ head, right, least, margin, rows }: PageTable, { colors, width }: Pen): string[] {
  const cells = rows.map(({ cells, about }) => {
    const painted = cells.map(({ text, tone }) => painterOf(colors, tone)(text))
    return about === '' ? painted : [...painted.slice(0, -1), `${painted.at(-1)}  ${colors.dim(about)}`]
  })
  const [title = '', ...lines] = table([head, ...cells], { width, right, least, margin })
  return [
    colors.dim(title),
    ...rows.flatMap(({ details }, row) => [
      lines[row]!,
      ...details.map(({ text, tone }) => `      ${painterOf(colors, tone)(cutTo(text, width - 6))}`),
    ]),
  ]
}

function sectionLines({ table, entries, most, more }: Section, pen: Pen): string[] {
  const shown = atMost(entries, most, left => [{ text: more(left), indent: 2 }])
  return [...(table ? tableLines(table, pen) : []), ...shown.flat().flatMap(line => rowsOf(line, pen))]
}

function rowsOf(line: Line, pen: Pen): string[] {
  const { colors, width } = pen
  if ('parts' in line) {
    const { parts, indent } = line
    return packed(parts, width - indent).flatMap(text => rowsOf({ text, indent }, pen))
  }
  if ('middle' in line) {
    const { before, middle, after, tone } = line
    const row = fitTo(width).squeeze(before, middle, painterOf(colors, after.tone)(after.text))
    return [tone === 'title' ? colors.cyan(row) : row]
  }
  const { text, tone, indent, hang = 0 } = line
  const paint = painterOf(colors, tone)
  return wrapTo(text, width - indent - hang).map(
    (row, at) => `${' '.repeat(indent + (at === 0 ? 0 : hang))}${paint(row)}`,
  )
}

/** As many of them in a row as fit. */
function packed(parts: readonly string[], width: number): string[] {
  const rows: string[] = []
  for (const part of parts) {
    const longer = `${rows.at(-1)}   ${part}`
    if (rows.length > 0 && widthOf(longer) <= width) rows[rows.length - 1] = longer
    else rows.push(part)
  }
  return rows
}

export function painterOf(colors: Style['colors'], tone?: Tone | 'quiet'): (text: string) => string {
  if (tone === undefined) return text => text
  return { good: colors.green, middling: colors.yellow, bad: colors.red, quiet: colors.dim }[tone]
}

/** A page as Markdown, for a pull request or a wiki. It has all entries. */
export const markdownPage = ({ title, result, facts, table, sections, goOn }: Page): string[] => [
  `# ${escapeMarkdown(title)}`,
  ...(result ? ['', `**${escapeMarkdown(result.text)}**`] : []),
  '',
  row(['', '']),
  '|---|---|',
  ...facts.map(row),
  ...(table ? ['', '## Iterations', '', ...markdownTable(table)] : []),
  ...sections.flatMap(section),
  ...(goOn === null ? [] : list('To go on', [goOn])),
]

function markdownTable({ head, right, rows }: PageTable): string[] {
  const lines = [...head, ''].map((_, at) => (right.includes(at) ? '--:' : '---'))
  return [
    `| ${head.join(' | ')} | |`,
    `|${lines.join('|')}|`,
    ...rows.map(({ cells, about, details }) =>
      row([
        ...cells.map(({ text }) => text),
        [about, ...details.map(({ text }) => text)].filter(Boolean).join('; '),
      ]),
    ),
  ]
}

const section = ({ title, entries }: Section): string[] =>
  list(
    title.replace(/^./, first => first.toUpperCase()),
    entries.flat().flatMap(line => ('text' in line ? line.text : [])),
  )

const list = (title: string, items: readonly string[]): string[] => [
  '',
  `## ${title}`,
  '',
  ...items.map(item => `- ${escapeMarkdown(item)}`),
]

const row = (cells: readonly string[]): string => `| ${cells.map(escapeMarkdown).join(' | ')} |`

/** A text without what Markdown would take for a cell, line, tag, link or emphasis. */
const escapeMarkdown = (text: string): string =>
  plainLine(text, LONGEST_LINE).replace(/[\\`*_[\]<>|~#&!]/g, '\\$&')
