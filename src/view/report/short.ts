import { plural } from '../../core/format.ts'
import { painterOf } from '../page.ts'
import type { Style } from '../style.ts'
import { type Fit, fitTo } from '../text/fit.ts'
import { widthOf } from '../text/width.ts'
import { askedOf, endedAsAsked, formatEndingAsAsked } from './ending.ts'
import {
  formatCause,
  formatFileCount,
  formatIterations,
  formatNextStep,
  formatOpenTasks,
  formatTimes,
  formatTokens,
} from './format.ts'
import type { Receipt } from './receipt.ts'
import { formatCost } from './spent.ts'

const LISTED = 3

/** The receipt in a few lines: how it ended, what it took, what is left, and what to type next. */
export function shortReceipt(
  receipt: Receipt,
  { colors, marks }: Style,
  { fit = fitTo(null), whole = true }: { fit?: Fit; whole?: boolean } = {},
): string[] {
  const { ending, totals, times } = receipt
  const isExpected = endedAsAsked(receipt, askedOf(receipt))
  const { text, tone } = formatEndingAsAsked(receipt, askedOf(receipt))
  const isClaimed = ending.type === 'finished' && ending.result === 'complete' && receipt.doubts.length === 0
  const mark =
    tone === 'good' && !isExpected
      ? marks.ok
      : isExpected || isClaimed
        ? marks.pass
        : tone === 'bad'
          ? marks.error
          : marks.warn
  const paint = painterOf(colors, tone)
  const spent = [formatIterations(totals), totals.usd === null ? '' : formatCost(totals), formatTimes(times)]
  const tail = spent.filter(Boolean).join(' · ')
  const line = `${paint(`${mark} ${text}`)}  ${colors.dim(tail)}`
  const words =
    fit.room === null || widthOf(line) <= fit.room
      ? [line]
      : [...fit.wrap(`${mark} ${text}`, paint, 3), ...fit.wrap(`   ${tail}`, colors.dim)]
  const row = (text: string, paint?: (text: string) => string) => fit.wrap(`   ${text}`, paint, 5)
  const cause = isExpected ? null : formatCause(receipt)
  const causeRow = cause === null ? [] : row(`last:     ${cause}`)
  const nextStep = formatNextStep(receipt)
  const wayOn = nextStep === null ? [] : row(`to go on: ${nextStep}`)
  const head = ['', ...words]
  if (!whole) return isExpected ? head : [...head, ...causeRow, ...wayOn]

  const open = isSaidByEnding(receipt) ? [] : formatOpenTasks(receipt)
  return [
    ...head,
    ...[amounts(receipt)].filter(Boolean).flatMap(text => row(text, colors.dim)),
    ...causeRow,
    ...open.slice(0, LISTED).flatMap(task => row(`left:     ${task}`)),
    ...(open.length > LISTED ? row(`left:     ${open.length - LISTED} more`) : []),
    ...wayOn,
    ...(totals.files ? row(`changes:  ralph diff ${receipt.id}`) : []),
    ...row(`receipt:  ralph report ${receipt.id}`),
  ]
}

/** One task is left, and the reason of its block is the reason of the end. */
const isSaidByEnding = ({ ending, left: [only, ...others] }: Receipt): boolean =>
  ending.type === 'finished' && others.length === 0 && !!only?.why && ending.why.includes(only.why)

function amounts({ totals, iterations, warnings }: Receipt): string {
  const commits = iterations.reduce((sum, i) => sum + i.commits.length, 0)
  return [
    totals.tokens === null ? '' : formatTokens(totals),
    totals.files === null ? '' : formatFileCount(totals.files, totals.filesCut),
    commits === 0 ? '' : plural(commits, 'commit'),
    warnings.length === 0 ? '' : plural(warnings.length, 'warning'),
  ]
    .filter(Boolean)
    .join(' · ')
}
