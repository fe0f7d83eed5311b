import { formatCount, formatDuration } from '../../core/format.ts'
import { markdownPage, type Page, type PageTable, type Said, terminalPage } from '../page.ts'
import type { Style } from '../style.ts'
import { asCheck, LONGEST_LINE, plainLine } from '../text/plain.ts'
import { askedOf, formatEndingAsAsked } from './ending.ts'
import {
  distinguishingFacts,
  formatChanges,
  formatCheck,
  formatCommit,
  formatDenied,
  formatFacts,
  formatNextStep,
  formatSections,
  formatTitle,
  markOf,
  numberOf,
  toneOf,
} from './format.ts'
import type { Iteration } from './iterations.ts'
import type { Receipt } from './receipt.ts'
import { unknownOf, usdOrUnknown } from './spent.ts'

/** The receipt as lines for a terminal. Text from agents and checks stays within its own line. */
export const textReport = (receipt: Receipt, style: Style, width: number): string[] =>
  terminalPage(reportPage(receipt, false), style, width)

/** The receipt as a page of Markdown. */
export const markdownReport = (receipt: Receipt): string[] => markdownPage(reportPage(receipt, true))

/** How many entries of a section a terminal shows. */
const LISTED = 20

/** `isExact`: tokens are given to the last one. */
const reportPage = (receipt: Receipt, isExact: boolean): Page => ({
  title: formatTitle(receipt),
  result: formatEndingAsAsked(receipt, askedOf(receipt)),
  facts: formatFacts(receipt),
  table: receipt.iterations.length === 0 ? null : iterationTable(receipt.iterations, isExact),
  sections: formatSections(receipt).map(([title, lines]) => ({
    title: title.toLowerCase(),
    entries: lines.map(text => [{ text, indent: 2, hang: 2 }]),
    most: LISTED,
    more: left => `… and ${left} more`,
  })),
  goOn: formatNextStep(receipt),
})

function iterationTable(iterations: readonly Iteration[], isExact: boolean): PageTable {
  const about = distinguishingFacts(iterations)
  return {
    head: ['#', 'how', 'time', 'cost', isExact ? 'in / cached / out' : 'tokens in (cached) / out'],
    right: isExact ? [0, 2, 3, 4] : [0, 2, 3],
    least: [5, 11, 6, 7],
    rows: iterations.map(i => ({
      cells: [
        { text: numberOf(i) },
        { text: i.end, tone: toneOf(i.end) },
        { text: formatDuration(i.ms) },
        { text: usdOrUnknown(i) },
        { text: tokensOf(i, isExact) },
      ],
      about: about(i),
      details: detailsOf(i),
    })),
  }
}

function tokensOf({ tokens, agent }: Iteration, isExact: boolean): string {
  if (tokens === null) return unknownOf({ agent })
  const { input, cached, output } = tokens
  return isExact
    ? `${input} / ${cached} / ${output}`
    : `${formatCount(input)} (${formatCount(cached)}) / ${formatCount(output)}`
}

const detailsOf = ({ note, checks, denied = [], files, commits }: Iteration): Said[] => [
  ...(note === '' ? [] : [{ text: plainLine(asCheck(note), LONGEST_LINE) }]),
  ...checks.map(check => ({
    text: `${markOf(check)} ${formatCheck(check)}`,
    ...(check.verdict === 'pass' && !check.doubts && { tone: 'quiet' as const }),
  })),
  ...denied.map(what => ({ text: formatDenied(what) })),
  ...(files ? [{ text: formatChanges(files), tone: 'quiet' as const }] : []),
  ...commits.map(commit => ({ text: formatCommit(commit), tone: 'quiet' as const })),
]
