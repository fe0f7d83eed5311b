import { formatDuration } from '../../core/format.ts'
import { plainLine } from '../plain.ts'
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
  tellingApart,
  VERDICT_MARKS,
} from './words.ts'

/** The receipt as a page of Markdown, for a pull request or a wiki. */
export function markdownReport(receipt: Receipt): string[] {
  const { iterations } = receipt
  const apart = tellingApart(iterations)
  const row = (i: Iteration) =>
    line([i.n, i.end, formatDuration(i.ms), sayUsd(i.usd), tokensOf(i), detailOf(i, apart(i))])
  const section = (title: string, items: string[]) =>
    items.length === 0 ? [] : ['', `## ${title}`, '', ...items.map(item => `- ${quiet(item)}`)]
  const wayOn = sayWayOn(receipt)
  return [
    `# ${quiet(sayTitle(receipt))}`,
    '',
    `**${quiet(sayEnding(receipt.ending).text)}**`,
    '',
    line(['', '']),
    '|---|---|',
    ...sayFacts(receipt).map(line),
    ...(iterations.length === 0 ? [] : ['', '## Iterations', '', ...HEAD, ...iterations.map(row)]),
    ...section('Told', sayTold(receipt)),
    ...section('Warnings', sayWarnings(receipt)),
    ...section('Left', sayLeft(receipt)),
    ...section('To go on', wayOn === null ? [] : [wayOn]),
  ]
}

const HEAD = ['| # | how | time | cost | in / cached / out | |', '|--:|---|--:|--:|--:|---|']

const tokensOf = ({ tokens }: Iteration): string =>
  tokens === null ? 'unknown' : `${tokens.input} / ${tokens.cached} / ${tokens.output}`

const detailOf = ({ note, checks, commits, files }: Iteration, about: string): string =>
  [
    about,
    note,
    ...checks.map(c => `${VERDICT_MARKS[c.verdict]} ${sayCheck(c)}`),
    files ? sayChanges(files) : '',
    ...commits.map(sayCommit),
  ]
    .filter(part => part !== '')
    .join('; ')

const line = (cells: (string | number)[]): string =>
  `| ${cells.map(cell => quiet(String(cell))).join(' | ')} |`

/** Text that Markdown makes nothing of: no cell, line, tag, link or emphasis. */
const quiet = (text: string): string => plainLine(text, LONGEST_LINE).replace(/[\\`*_[\]<>|~#&!]/g, '\\$&')
