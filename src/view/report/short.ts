import { plural } from '../../core/format.ts'
import { type Fit, fitTo } from '../fit.ts'
import { plainLine } from '../plain.ts'
import type { Style } from '../style.ts'
import { widthOf } from '../width.ts'
import type { Receipt } from './receipt.ts'
import {
  sayCost,
  sayEnding,
  sayFiles,
  sayIterations,
  sayLeft,
  sayTimes,
  sayTokens,
  sayWayOn,
  type Tone,
} from './words.ts'

const LISTED = 3

/** The receipt in a few lines: how it ended, what it took, what is left, and what to type next. */
export function shortReceipt(
  receipt: Receipt,
  { colors, marks }: Style,
  options: { fit?: Fit; condition?: boolean; whole?: boolean } = {},
): string[] {
  const { fit = fitTo(null), condition = true, whole = true } = options
  const { ending, totals, times } = receipt
  // Without anything to reach, using all iterations is what was asked.
  const asked = ending.type === 'finished' && ending.result === 'exhausted' && !condition
  const { text, tone } = asked ? { text: plainLine(ending.why), tone: 'good' as Tone } : sayEnding(ending)
  const done = ending.type === 'finished' && ending.result === 'complete'
  const mark = asked || done ? marks.ok : tone === 'bad' ? marks.error : marks.warn
  const paint = tone === 'good' ? colors.green : tone === 'bad' ? colors.red : colors.yellow
  const spent = [sayIterations(totals), totals.usd === null ? '' : sayCost(totals), sayTimes(times)]
  const tail = spent.filter(Boolean).join(' · ')
  const line = `${paint(`${mark} ${text}`)}  ${colors.dim(tail)}`
  const words =
    fit.room === null || widthOf(line) <= fit.room
      ? [line]
      : [...fit.wrap(`${mark} ${text}`, paint, 3), ...fit.wrap(`   ${tail}`, colors.dim)]
  const head = ['', ...words]
  if (!whole) return head

  const row = (text: string, paint?: (text: string) => string) => fit.wrap(`   ${text}`, paint, 5)
  const left = sayLeft(receipt)
  const wayOn = sayWayOn(receipt)
  return [
    ...head,
    ...[amounts(receipt)].filter(Boolean).flatMap(text => row(text, colors.dim)),
    ...left.slice(0, LISTED).flatMap(task => row(`left:     ${task}`)),
    ...(left.length > LISTED ? row(`left:     ${left.length - LISTED} more`) : []),
    ...(wayOn === null ? [] : row(`to go on: ${wayOn}`)),
    ...(totals.files ? row(`changes:  ralph diff ${receipt.id}`) : []),
    ...row(`receipt:  ralph report ${receipt.id}`),
  ]
}

function amounts({ totals, iterations, warnings }: Receipt): string {
  const commits = iterations.reduce((sum, i) => sum + i.commits.length, 0)
  return [
    totals.tokens === null ? '' : sayTokens(totals),
    totals.files === null ? '' : sayFiles(totals.files, totals.filesCut),
    commits === 0 ? '' : plural(commits, 'commit'),
    warnings.length === 0 ? '' : plural(warnings.length, 'warning'),
  ]
    .filter(Boolean)
    .join(' · ')
}
