import { atMost } from '../../core/format.ts'
import { type Entry, type Line, type Page, type PageTable, type Section, terminalPage } from '../page.ts'
import type { Style } from '../style.ts'
import { wrapTo } from '../text/fit.ts'
import { LONGEST_LINE, plainLine } from '../text/plain.ts'
import { cutPathTo } from '../text/width.ts'
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
export const morningLines = (morning: Morning, style: Style, width: number): string[] =>
  isQuiet(morning)
    ? wrapTo(formatQuiet(morning), width)
    : terminalPage(morningPage(morning, style.marks, width), style, width)

/** `width`: the folder of a project gets at most a quarter of it. */
function morningPage(morning: Morning, marks: Style['marks'], width: number): Page {
  const { needsYou, landed, costs, lookFirst, stillRunning, now } = morning
  const head = (about: RunName, mark = '') => headLine(about, width, mark)
  const sections: Section[] = [
    part('Needs you', needsYou, run => [head(run), ...needyLines(run)]),
    part('Landed', landed, run => [head(run), ...landedLines(run, marks)]),
    costSection(costs),
    part(
      'What to look at first',
      lookFirst,
      (look, at) => [head(look, `${at + 1}. `), ...lookLines(look)],
      MOST.looks,
    ),
    part('Still running', stillRunning, run => [head(run), { text: formatAtWork(run, now), indent: 4 }]),
  ]
  return {
    title: formatHead(morning),
    facts: [],
    table: null,
    sections: sections.filter(({ entries }) => entries.length > 0),
    goOn: null,
  }
}

const part = <T>(
  title: string,
  all: readonly T[],
  entry: (one: T, at: number) => Entry,
  most = MOST.runs,
): Section => ({ title, entries: all.map(entry), most, more: formatMore })

/** `  night · build: Add a cart · /home/me/shop`: what it works on is cut first. */
const headLine = (about: RunName, width: number, mark: string): Line => ({
  before: `  ${mark}${plainLine(about.name)} · `,
  middle: formatWork(about),
  after: { text: ` · ${cutPathTo(plainLine(about.project, 1000), Math.max(width >> 2, 12))}` },
  tone: 'title',
})

/** The lines of the first entries, and how many more there are. */
const bounded = (entries: readonly Entry[]): Entry =>
  atMost(entries, MOST.entries, more => [{ text: formatMore(more), indent: 4 }]).flat()

const command = (text: string): Line => ({ text: plainLine(text, LONGEST_LINE), indent: 6 })

function needyLines({ needs, resume }: NeedyRun): Entry {
  const isAnswered = needs.some(({ commands }) => commands.length > 0)
  const lines = bounded(
    needs.map(need => [
      { text: formatNeed(need), tone: 'middling', indent: 4 },
      ...need.commands.map((text, at) => command(at === 0 ? text : `or: ${text}`)),
    ]),
  )
  return resume === null ? lines : [...lines, command(isAnswered ? `then: ${resume}` : resume)]
}

function landedLines(run: LandedRun, marks: Style['marks']): Entry {
  const changes = formatChangesOf(run)
  return [
    ...bounded(run.tasks.map(task => [doneLine(task, marks)])),
    ...(changes === '' ? [] : [{ text: changes, tone: 'quiet' as const, indent: 4 }]),
  ]
}

function doneLine(task: DoneTask, { ok, pass, warn }: Style['marks']): Line {
  const [title, ...rest] = formatDone(task)
  const tone = DONE_TONES[task.how]
  // As everywhere, the first mark is for what is verified alone.
  const mark = task.how === 'verified' ? ok : tone === 'bad' ? warn : pass
  const how = rest.filter(Boolean).join(' · ')
  return { before: `    ${mark} `, middle: title, after: { text: title === '' ? how : `  ${how}`, tone } }
}

function lookLines(one: LookAt): Entry {
  const parts = [...one.look, ...(one.undo === null ? [] : [one.undo])]
  return [
    { text: formatReasons(one), tone: 'middling', indent: 5 },
    { parts: parts.map(part => plainLine(part, LONGEST_LINE)), indent: 5 },
  ]
}

function costSection({ runs, total }: Morning['costs']): Section {
  const left = runs.length - MOST.runs
  const sum: Line = { text: `${runs.length < 2 ? '' : 'in all: '}${formatTotal(total)}`, indent: 2 }
  const lines = left > 0 ? [{ text: formatMore(left), indent: 2 }, sum] : [sum]
  return {
    ...part('What it cost', runs.length === 0 ? [] : [lines], lines => lines),
    ...(runs.length > 1 && { table: costTable(runs.slice(0, MOST.runs)) }),
  }
}

const costTable = (runs: Morning['costs']['runs']): PageTable => ({
  head: ['run', 'cost', 'per verified task', 'time', 'tokens in / out'],
  right: [1, 2, 3, 4],
  margin: '  ',
  rows: runs.map(run => ({
    cells: [plainLine(run.name), ...formatCells(run)].map(text => ({ text })),
    about: '',
    details: [],
  })),
})
