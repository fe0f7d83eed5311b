import { plural } from '../../core/format.ts'
import { type Fit, fitTo } from '../fit.ts'
import { plainLine } from '../plain.ts'
import type { Style } from '../style.ts'
import { widthOf } from '../width.ts'
import {
  formatCost,
  formatEnding,
  formatFileCount,
  formatIterations,
  formatNextStep,
  formatOpenTasks,
  formatTimes,
  formatTokens,
  type Tone,
} from './format.ts'
import type { Receipt } from './receipt.ts'

const LISTED = 3

/** The receipt in a few lines: how it ended, what it took, what is left, and what to type next. */
export function shortReceipt(
  receipt: Receipt,
  { colors, marks }: Style,
  options: { fit?: Fit; condition?: boolean; whole?: boolean } = {},
): string[] {
  const { fit = fitTo(null), condition = true, whole = true } = options
  const { ending, totals, times } = receipt
  // Without a condition, using all iterations is what the user asked for.
  const isExpected = ending.type === 'finished' && ending.result === 'exhausted' && !condition
  const { text, tone } = isExpected
    ? { text: plainLine(ending.why), tone: 'good' as Tone }
    : formatEnding(ending)
  const isClaimed = ending.type === 'finished' && ending.result === 'complete' && receipt.doubts.length === 0
  const mark =
    tone === 'good' && !isExpected
      ? marks.ok
      : isExpected || isClaimed
        ? marks.pass
        : tone === 'bad'
          ? marks.error
          : marks.warn
  const paint = tone === 'good' ? colors.green : tone === 'bad' ? colors.red : colors.yellow
  const spent = [formatIterations(totals), totals.usd === null ? '' : formatCost(totals), formatTimes(times)]
  const tail = spent.filter(Boolean).join(' · ')
  const line = `${paint(`${mark} ${text}`)}  ${colors.dim(tail)}`
  const words =
    fit.room === null || widthOf(line) <= fit.room
      ? [line]
      : [...fit.wrap(`${mark} ${text}`, paint, 3), ...fit.wrap(`   ${tail}`, colors.dim)]
  const head = ['', ...words]
  if (!whole) return head

  const row = (text: string, paint?: (text: string) => string) => fit.wrap(`   ${text}`, paint, 5)
  const open = formatOpenTasks(receipt)
  const nextStep = formatNextStep(receipt)
  return [
    ...head,
    ...[amounts(receipt)].filter(Boolean).flatMap(text => row(text, colors.dim)),
    ...open.slice(0, LISTED).flatMap(task => row(`left:     ${task}`)),
    ...(open.length > LISTED ? row(`left:     ${open.length - LISTED} more`) : []),
    ...(nextStep === null ? [] : row(`to go on: ${nextStep}`)),
    ...(totals.files ? row(`changes:  ralph diff ${receipt.id}`) : []),
    ...row(`receipt:  ralph report ${receipt.id}`),
  ]
}

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
