import { formatDuration } from '../../core/format.ts'
import { plainLine } from '../text/plain.ts'
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
} from './format.ts'
import type { Iteration } from './iterations.ts'
import type { Receipt } from './receipt.ts'

/** The receipt as a page of Markdown, for a pull request or a wiki. */
export function markdownReport(receipt: Receipt): string[] {
  const { iterations } = receipt
  const about = distinguishingFacts(iterations)
  const row = (i: Iteration) =>
    line([numberOf(i), i.end, formatDuration(i.ms), usdOrUnknown(i), tokensOf(i), detailOf(i, about(i))])
  const section = ([title, items]: [title: string, items: string[]]) => [
    '',
    `## ${title}`,
    '',
    ...items.map(item => `- ${escapeMarkdown(item)}`),
  ]
  const nextStep = formatNextStep(receipt)
  return [
    `# ${escapeMarkdown(formatTitle(receipt))}`,
    '',
    `**${escapeMarkdown(formatEndingAsAsked(receipt, askedOf(receipt)).text)}**`,
    '',
    line(['', '']),
    '|---|---|',
    ...formatFacts(receipt).map(line),
    ...(iterations.length === 0 ? [] : ['', '## Iterations', '', ...HEAD, ...iterations.map(row)]),
    ...formatSections(receipt).flatMap(section),
    ...(nextStep === null ? [] : section(['To go on', [nextStep]])),
  ]
}

const HEAD = ['| # | how | time | cost | in / cached / out | |', '|--:|---|--:|--:|--:|---|']

const tokensOf = ({ tokens, agent }: Iteration): string =>
  tokens === null ? unknownOf({ agent }) : `${tokens.input} / ${tokens.cached} / ${tokens.output}`

const detailOf = ({ note, checks, denied = [], commits, files }: Iteration, about: string): string =>
  [
    about,
    note,
    ...checks.map(c => `${markOf(c)} ${formatCheck(c)}`),
    ...denied.map(formatDenied),
    files ? formatChanges(files) : '',
    ...commits.map(formatCommit),
  ]
    .filter(part => part !== '')
    .join('; ')

const line = (cells: (string | number)[]): string =>
  `| ${cells.map(cell => escapeMarkdown(String(cell))).join(' | ')} |`

/** Escapes what Markdown would take for a cell, line, tag, link or emphasis. */
const escapeMarkdown = (text: string): string =>
  plainLine(text, LONGEST_LINE).replace(/[\\`*_[\]<>|~#&!]/g, '\\$&')
