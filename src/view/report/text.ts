import stringWidth from 'string-width'
import { formatCount, formatDuration } from '../../core/format.ts'
import { plainLine } from '../plain.ts'
import type { Style } from '../style.ts'
import { cutTo, wrapTo } from '../width.ts'
import type { Iteration } from './iterations.ts'
import type { Receipt } from './receipt.ts'
import {
  LONGEST_LINE,
  sayChanges,
  sayCheck,
  sayCommit,
  sayEnding,
  sayFacts,
  sayLeft,
  sayTitle,
  sayTold,
  sayUsd,
  sayWarnings,
  sayWayOn,
  type Tone,
  tellingApart,
  toneOf,
  VERDICT_MARKS,
} from './words.ts'

/** How many warnings and tasks are listed; the other forms of a receipt have them all. */
const LISTED = 20

/** The receipt as lines for a terminal. What agents and checks said is in no line but its own. */
export function textReport(receipt: Receipt, { colors }: Style, width: number): string[] {
  const inTone = (tone: Tone) =>
    tone === 'good' ? colors.green : tone === 'bad' ? colors.red : colors.yellow
  const fact = (name: string, value: string, paint = (text: string) => text) =>
    wrapTo(value, width - INDENT).map(
      (line, at) => `  ${colors.dim((at === 0 ? name : '').padEnd(INDENT - 2))}${paint(line)}`,
    )
  const section = (title: string, items: string[]) =>
    items.length === 0 ? [] : ['', colors.bold(title), ...listed(items).flatMap(item => hang(item, width))]

  const { iterations, ending } = receipt
  const apart = tellingApart(iterations)
  const row = (i: Iteration): string[] => {
    const more = i.checks.map(check => {
      const line = cutTo(`${VERDICT_MARKS[check.verdict]} ${sayCheck(check)}`, width - 6)
      return `      ${check.verdict === 'pass' ? colors.dim(line) : line}`
    })
    if (i.note !== '') more.unshift(`      ${cutTo(plainLine(i.note, LONGEST_LINE), width - 6)}`)
    if (i.files) more.push(`      ${colors.dim(cutTo(sayChanges(i.files), width - 6))}`)
    for (const commit of i.commits) more.push(`      ${colors.dim(cutTo(sayCommit(commit), width - 6))}`)
    const cells = columns(
      { n: String(i.n), end: i.end, time: formatDuration(i.ms), cost: sayUsd(i.usd), tokens: tokensOf(i) },
      inTone(toneOf(i.end)),
    )
    const tail = cutTo(apart(i), width - stringWidth(cells) - 2)
    return [tail === '' ? cells : `${cells}  ${colors.dim(tail)}`, ...more]
  }
  const { text, tone } = sayEnding(ending)
  const wayOn = sayWayOn(receipt)
  return [
    colors.bold(sayTitle(receipt)),
    ...fact('result', text, inTone(tone)),
    ...sayFacts(receipt).flatMap(([name, value]) => fact(name, value)),
    ...(iterations.length === 0 ? [] : ['', colors.dim(columns(HEAD)), ...iterations.flatMap(row)]),
    ...section('told', sayTold(receipt)),
    ...section('warnings', sayWarnings(receipt)),
    ...section('left', sayLeft(receipt)),
    ...(wayOn === null ? [] : ['', `${colors.bold('to go on')}  ${wayOn}`]),
  ]
}

type Cells = { n: string; end: string; time: string; cost: string; tokens: string }

const HEAD: Cells = { n: '#', end: 'how', time: 'time', cost: 'cost', tokens: 'tokens in (cached) / out' }

const columns = ({ n, end, time, cost, tokens }: Cells, paint = (text: string) => text): string =>
  `${n.padStart(5)}  ${paint(end)}${' '.repeat(11 - end.length)}  ${time.padStart(6)}  ${cost.padStart(7)}  ${tokens}`

const tokensOf = ({ tokens }: Iteration): string =>
  tokens === null
    ? 'unknown'
    : `${formatCount(tokens.input)} (${formatCount(tokens.cached)}) / ${formatCount(tokens.output)}`

const INDENT = 12

/** An entry of a list: the first of its lines stands out. */
const hang = (item: string, width: number): string[] =>
  wrapTo(item, width - 4).map((line, at) => `${at === 0 ? '  ' : '    '}${line}`)

const listed = (lines: string[]): string[] =>
  lines.length <= LISTED ? lines : [...lines.slice(0, LISTED), `… and ${lines.length - LISTED} more`]
