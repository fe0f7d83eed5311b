import { LONGEST_LINE, painterOf } from '../report/format.ts'
import type { Style } from '../style.ts'
import { fitTo, wrapTo } from '../text/fit.ts'
import { plainLine } from '../text/plain.ts'
import { cutPathTo, cutTo, widthOf } from '../text/width.ts'
import type { DoneTask, LandedRun, LookAt, Morning, NeedyRun, RunName } from './model.ts'
import {
  DONE_TONES,
  formatAtWork,
  formatCells,
  formatChangesOf,
  formatDone,
  formatHead,
  formatMore,
  formatNeed,
  formatQuiet,
  formatReasons,
  formatTotal,
  formatWork,
  isQuiet,
} from './words.ts'

/** How many runs a part lists, and how many entries a run has in it. */
const MOST = { runs: 10, entries: 6, looks: 5 }

/** A morning report as lines for a terminal. Texts from agents stay within their own lines. */
export function morningLines(morning: Morning, style: Style, width: number): string[] {
  if (isQuiet(morning)) return wrapTo(formatQuiet(morning), width)
  const { colors } = style
  const pen: Pen = { style, width }
  const part = (title: string, lines: string[]) =>
    lines.length === 0 ? [] : ['', colors.bold(title), ...lines]
  const { needsYou, landed, costs, lookFirst, stillRunning, now } = morning
  return [
    ...wrapTo(formatHead(morning), width).map(colors.bold),
    ...part(
      'Needs you',
      bounded(pen, needsYou, MOST.runs, run => needyLines(pen, run)),
    ),
    ...part(
      'Landed',
      bounded(pen, landed, MOST.runs, run => landedLines(pen, run)),
    ),
    ...part('What it cost', costs.runs.length === 0 ? [] : costLines(pen, costs)),
    ...part(
      'What to look at first',
      bounded(pen, lookFirst, MOST.looks, (one, index) => lookLines(pen, one, index)),
    ),
    ...part(
      'Still running',
      bounded(pen, stillRunning, MOST.runs, one => [
        headLine(pen, one),
        ...hang(pen, formatAtWork(one, now), 4),
      ]),
    ),
  ]
}

type Pen = { style: Style; width: number }

/** The lines of the first ones, and how many more there are. */
function bounded<T>(
  pen: Pen,
  all: readonly T[],
  most: number,
  lines: (one: T, index: number) => string[],
  indent = 2,
): string[] {
  const shown = all.slice(0, most).flatMap(lines)
  return all.length > most ? [...shown, ...hang(pen, formatMore(all.length - most), indent)] : shown
}

/** `  night · build: Add a cart · /home/me/shop`: what it works on is cut first. */
function headLine({ style: { colors }, width }: Pen, about: RunName, mark = ''): string {
  const before = `  ${mark}${plainLine(about.name)} · `
  const project = ` · ${cutPathTo(plainLine(about.project, 1000), Math.max(width >> 2, 12))}`
  return colors.cyan(fitTo(width).squeeze(before, formatWork(about), project))
}

/** A text whose later rows are indented, too. */
const hang = ({ width }: Pen, text: string, indent: number, paint = (row: string) => row): string[] =>
  wrapTo(plainLine(text, LONGEST_LINE), width - indent, 0).map(row => `${' '.repeat(indent)}${paint(row)}`)

function needyLines(pen: Pen, run: NeedyRun): string[] {
  const { yellow } = pen.style.colors
  const isAnswered = run.needs.some(({ commands }) => commands.length > 0)
  return [
    headLine(pen, run),
    ...bounded(
      pen,
      run.needs,
      MOST.entries,
      need => [
        ...hang(pen, formatNeed(need), 4, yellow),
        ...need.commands.flatMap((command, index) => hang(pen, index === 0 ? command : `or: ${command}`, 6)),
      ],
      4,
    ),
    ...(run.resume === null ? [] : hang(pen, isAnswered ? `then: ${run.resume}` : run.resume, 6)),
  ]
}

function landedLines(pen: Pen, run: LandedRun): string[] {
  const { colors } = pen.style
  const changes = formatChangesOf(run)
  return [
    headLine(pen, run),
    ...bounded(pen, run.tasks, MOST.entries, task => [doneLine(pen, task)], 4),
    ...(changes === '' ? [] : hang(pen, changes, 4, colors.dim)),
  ]
}

function doneLine({ style, width }: Pen, task: DoneTask): string {
  const [title, ...rest] = formatDone(task)
  const how = rest.filter(Boolean).join(' · ')
  const tone = DONE_TONES[task.how]
  const { ok, pass, warn } = style.marks
  // As everywhere, the first mark is for what is verified alone.
  const mark = task.how === 'verified' ? ok : tone === 'bad' ? warn : pass
  const painted = painterOf(style.colors, tone)(how)
  if (title === '') return cutTo(`    ${mark} ${painted}`, width)
  const room = width - widthOf(`    ${mark}   ${how}`)
  return cutTo(`    ${mark} ${cutTo(title, Math.max(room, 8))}  ${painted}`, width)
}

function lookLines(pen: Pen, one: LookAt, index: number): string[] {
  const commands = [...one.look, ...(one.undo === null ? [] : [one.undo])]
  return [
    headLine(pen, one, `${index + 1}. `),
    ...hang(pen, formatReasons(one), 5, pen.style.colors.yellow),
    ...packed(commands, pen.width - 5).flatMap(row => hang(pen, row, 5)),
  ]
}

/** As many of them in a row as fit. */
function packed(commands: readonly string[], width: number): string[] {
  const rows: string[] = []
  for (const command of commands) {
    const longer = `${rows.at(-1)}   ${command}`
    if (rows.length > 0 && widthOf(longer) <= width) rows[rows.length - 1] = longer
    else rows.push(command)
  }
  return rows
}

const HEAD = ['run', 'cost', 'per verified task', 'time', 'tokens in / out']

function costLines(pen: Pen, { runs, total }: Morning['costs']): string[] {
  const { dim } = pen.style.colors
  const rows = runs.slice(0, MOST.runs).map(run => [plainLine(run.name), ...formatCells(run)])
  const table = runs.length < 2 ? [] : [HEAD, ...rows]
  const widths = HEAD.map((_, at) => Math.max(...table.map(row => widthOf(row[at]!))))
  const lines = table.map((row, index) => {
    const [name = '', ...others] = row
    const padded = others.map((cell, at) => cell.padStart(widths[at + 1]!))
    const line = cutTo(`  ${[name.padEnd(widths[0]!), ...padded].join('  ')}`, pen.width)
    return index === 0 ? dim(line) : line
  })
  return [
    ...lines,
    ...(runs.length > MOST.runs ? hang(pen, formatMore(runs.length - MOST.runs), 2) : []),
    ...hang(pen, `${runs.length < 2 ? '' : 'in all: '}${formatTotal(total)}`, 2),
  ]
}
