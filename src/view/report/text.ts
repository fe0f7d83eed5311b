import stringWidth from 'string-width'
import { formatCount, formatDuration } from '../../core/format.ts'
import type { Style } from '../style.ts'
import { wrapTo } from '../text/fit.ts'
import { asCheck, plainLine } from '../text/plain.ts'
import { cutTo } from '../text/width.ts'
import { askedOf, formatEndingAsAsked } from './as-asked.ts'
import { unknownOf, usdOrUnknown } from './cost.ts'
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
  LONGEST_LINE,
  markOf,
  numberOf,
  painterOf,
  toneOf,
} from './format.ts'
import type { Iteration } from './iterations.ts'
import type { Receipt } from './receipt.ts'

/** How many warnings and tasks are listed; the other forms of a receipt have them all. */
const LISTED = 20

/** The receipt as lines for a terminal. Text from agents and checks stays within its own line. */
export function textReport(receipt: Receipt, { colors }: Style, width: number): string[] {
  const fact = (name: string, value: string, paint = (text: string) => text) =>
    wrapTo(value, width - INDENT).map(
      (line, index) => `  ${colors.dim((index === 0 ? name : '').padEnd(INDENT - 2))}${paint(line)}`,
    )
  const section = ([title, items]: [title: string, items: string[]]) => [
    '',
    colors.bold(title.toLowerCase()),
    ...listed(items).flatMap(item => hang(item, width)),
  ]

  const { iterations } = receipt
  const about = distinguishingFacts(iterations)
  const row = (i: Iteration): string[] => {
    const more = i.checks.map(check => {
      const line = cutTo(`${markOf(check)} ${formatCheck(check)}`, width - 6)
      return `      ${check.verdict === 'pass' && !check.doubts ? colors.dim(line) : line}`
    })
    if (i.note !== '') more.unshift(`      ${cutTo(plainLine(asCheck(i.note), LONGEST_LINE), width - 6)}`)
    for (const what of i.denied ?? []) more.push(`      ${cutTo(formatDenied(what), width - 6)}`)
    if (i.files) more.push(`      ${colors.dim(cutTo(formatChanges(i.files), width - 6))}`)
    for (const commit of i.commits) more.push(`      ${colors.dim(cutTo(formatCommit(commit), width - 6))}`)
    const cells = columns(
      {
        n: numberOf(i),
        end: i.end,
        time: formatDuration(i.ms),
        cost: usdOrUnknown(i),
        tokens: tokensOf(i),
      },
      painterOf(colors, toneOf(i.end)),
    )
    const tail = cutTo(about(i), width - stringWidth(cells) - 2)
    return [tail === '' ? cells : `${cells}  ${colors.dim(tail)}`, ...more]
  }
  const { text, tone } = formatEndingAsAsked(receipt, askedOf(receipt))
  const nextStep = formatNextStep(receipt)
  return [
    colors.bold(formatTitle(receipt)),
    ...fact('result', text, painterOf(colors, tone)),
    ...formatFacts(receipt).flatMap(([name, value]) => fact(name, value)),
    ...(iterations.length === 0 ? [] : ['', colors.dim(columns(HEAD)), ...iterations.flatMap(row)]),
    ...formatSections(receipt).flatMap(section),
    ...(nextStep === null ? [] : ['', `${colors.bold('to go on')}  ${nextStep}`]),
  ]
}

type Cells = { n: string; end: string; time: string; cost: string; tokens: string }

const HEAD: Cells = { n: '#', end: 'how', time: 'time', cost: 'cost', tokens: 'tokens in (cached) / out' }

const columns = ({ n, end, time, cost, tokens }: Cells, paint = (text: string) => text): string =>
  `${n.padStart(5)}  ${paint(end)}${' '.repeat(11 - end.length)}  ${time.padStart(6)}  ${cost.padStart(7)}  ${tokens}`

const tokensOf = ({ tokens, agent }: Iteration): string =>
  tokens === null
    ? unknownOf({ agent })
    : `${formatCount(tokens.input)} (${formatCount(tokens.cached)}) / ${formatCount(tokens.output)}`

const INDENT = 12

/** An entry of a list: its first row is indented less than the others. */
const hang = (item: string, width: number): string[] =>
  wrapTo(item, width - 4).map((line, index) => `${index === 0 ? '  ' : '    '}${line}`)

const listed = (lines: string[]): string[] =>
  lines.length <= LISTED ? lines : [...lines.slice(0, LISTED), `… and ${lines.length - LISTED} more`]
