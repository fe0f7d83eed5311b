import { formatCount, formatDuration, formatUsd, plural } from '../../core/format.ts'
import { plainLine } from '../plain.ts'
import type { Ending } from './ending.ts'
import type { Iteration, IterationEnd } from './iterations.ts'
import type { Receipt } from './receipt.ts'
import type { Spent } from './spent.ts'

// How a receipt is said, wherever it is shown. All of it is plain text in one line.

export type Tone = 'good' | 'middling' | 'bad'

export const LONGEST_LINE = 500

/** How it ended, in one sentence. */
export function sayEnding(ending: Ending): { text: string; tone: Tone } {
  switch (ending.type) {
    case 'open':
      return { text: ending.live ? 'still at work' : 'unfinished: it was cut off', tone: 'middling' }
    case 'stopped':
      return { text: `stopped: ${plainLine(ending.why, LONGEST_LINE)}`, tone: 'middling' }
    case 'finished':
      if (ending.result !== 'complete') {
        const why = plainLine(ending.why, LONGEST_LINE)
        return { text: why === ending.result ? why : `${ending.result}: ${why}`, tone: 'bad' }
      }
      return ending.proof === 'verified'
        ? { text: 'done, verified', tone: 'good' }
        : { text: 'done as claimed: nothing verified it', tone: 'middling' }
    default:
      return ending satisfies never
  }
}

export function toneOf(end: IterationEnd): Tone {
  switch (end) {
    case 'pass':
      return 'good'
    case 'more':
    case 'ask':
    case 'capped':
    case 'overruled':
    case 'limited':
    case 'interrupted':
    case 'inactive':
    case 'unsettled':
      return 'middling'
    case 'fail':
    case 'reject':
    case 'spent':
    case 'stuck':
    case 'error':
    case 'unusable':
    case 'timeout':
    case 'empty':
      return 'bad'
    default:
      return end satisfies never
  }
}

/** `3 iterations, and 2 that do not count`. */
export function sayIterations({ counted, uncounted }: Receipt['totals']): string {
  const some = plural(counted, 'iteration')
  return uncounted === 0
    ? some
    : `${some}, and ${uncounted} that ${uncounted === 1 ? 'does' : 'do'} not count`
}

export const sayUsd = (usd: number | null): string => (usd === null ? 'unknown' : formatUsd(usd))

/** `$0.18`; `$0.18, and 2 calls of unknown cost`; `cost unknown`. */
export function sayCost({ usd, unpriced }: Pick<Spent, 'usd' | 'unpriced'>): string {
  if (usd === null) return unpriced === 0 ? 'no cost' : 'cost unknown'
  return unpriced === 0
    ? formatUsd(usd)
    : `${formatUsd(usd)}, and ${plural(unpriced, 'call')} of unknown cost`
}

/** `149K tokens in (128K cached), 704 out`. */
export function sayTokens({ usd, tokens, unpriced }: Spent): string {
  if (tokens === null) return usd === null && unpriced === 0 ? 'no tokens' : 'tokens unknown'
  return `${formatCount(tokens.input)} tokens in (${formatCount(tokens.cached)} cached), ${formatCount(tokens.output)} out`
}

/** `1m24s at work, 2m0s waiting, in 3 sittings`. */
export function sayTimes({ workedMs, waitedMs, sittings }: Receipt['times']): string {
  const parts = [`${formatDuration(workedMs)} at work`]
  if (waitedMs > 0) parts.push(`${formatDuration(waitedMs)} waiting`)
  if (sittings > 1) parts.push(`in ${sittings} sittings (resumed ${times(sittings - 1)})`)
  return parts.join(', ')
}

const times = (n: number): string => (n === 1 ? 'once' : n === 2 ? 'twice' : `${n} times`)

/** The same everywhere on earth, as the id of the run is. */
const sayMoment = (at: number): string => `${new Date(at).toISOString().slice(0, 19).replace('T', ' ')} UTC`

const SHORT_HASH = 10

/** `committed 1a2b3c4d5e`; of the agent's own, the range. */
export function sayCommit({ by, from, to }: Iteration['commits'][number]): string {
  const short = (hash: string) => plainLine(hash).slice(0, SHORT_HASH)
  if (by === 'ralph') return `committed ${short(to)}`
  return `committed by the agent ${from === null ? '' : `${short(from)}..`}${short(to)}`
}

const NAMED = 4

/** `3 files changed`. */
export const sayFiles = (count: number, cut = false): string =>
  count === 0 ? 'no file changed' : `${cut ? 'more than ' : ''}${plural(count, 'file')} changed`

/** `5 files changed: a.js, b.js, c.js, d.js, …`. */
export function sayChanges({ count, paths }: { count: number; paths: string[] }): string {
  if (count === 0) return sayFiles(0)
  const named = paths.slice(0, NAMED).map(path => plainLine(path))
  return plainLine(
    [`${sayFiles(count)}: ${named.join(', ')}`, ...(count > NAMED ? ['…'] : [])].join(', '),
    LONGEST_LINE,
  )
}

export const VERDICT_MARKS = { pass: '✓', fail: '✗', unsure: '?' } as const

/** `npm test failed with exit code 1`. */
export const sayCheck = ({ check, note }: Iteration['checks'][number]): string =>
  plainLine(note === '' ? check : `${check} ${note}`, LONGEST_LINE)

/** The facts of a run as a whole, by name. */
export const sayFacts = ({
  totals,
  times,
  project,
  workflow,
  agents,
  undone,
}: Receipt): [string, string][] => [
  ...(undone === null ? [] : [['undone', `it is kept in ${plainLine(undone)}`] as [string, string]]),
  ['work', sayIterations(totals)],
  ...(totals.files === null ? [] : [['files', sayFiles(totals.files, totals.filesCut)] as [string, string]]),
  ['cost', sayCost(totals)],
  ['tokens', sayTokens(totals)],
  ['time', sayTimes(times)],
  ['began', sayMoment(times.began)],
  ['project', plainLine(project, LONGEST_LINE)],
  ['workflow', plainLine(workflow)],
  ['agent', plainLine(agents.join(', ')) || 'none was called'],
]

/** What the user told it, a line each. */
export const sayTold = ({ told }: Receipt): string[] =>
  told.map(({ text, before }) =>
    plainLine(`${before === null ? 'after the last' : `before iteration ${before}`}: ${text}`, LONGEST_LINE),
  )

export const sayWarnings = ({ warnings }: Receipt): string[] =>
  warnings.map(w => plainLine(w.note, LONGEST_LINE) + (w.times > 1 ? ` (${times(w.times)})` : ''))

/** What is left, a line each. Where there is no list, the result has told it. */
export const sayLeft = ({ listed, left }: Receipt): string[] => (listed ? left.map(sayTask) : [])

/** `T1 · Add a cart (review)`; why, if it is blocked. */
function sayTask({ id, title, stage, why }: Receipt['left'][number]): string {
  const stands = stage ?? 'not begun'
  return plainLine(`${id} · ${title} (${why === '' ? stands : `${stands}: ${why}`})`, LONGEST_LINE)
}

/** How to go on; null if there is nothing left to do, or it goes on by itself. */
export function sayWayOn({ resume, left, ending, undone }: Receipt): string | null {
  if (resume !== null) return plainLine(resume)
  if (undone !== null) return 'a new run: this one was undone'
  if (ending.type === 'open') return null
  return left.length === 0 ? null : 'a new run: this one was cancelled'
}

/** What a receipt is of. */
export const sayTitle = ({ id, command }: Receipt): string => `ralph ${plainLine(command)} ${plainLine(id)}`

/** Which of an iteration's task, stage and agent tell anything: what is the same in all of them does not. */
export function tellingApart(iterations: readonly Iteration[]): (iteration: Iteration) => string {
  const facts = (['task', 'stage', 'agent', 'title'] as const).filter(
    fact => new Set(iterations.map(iteration => iteration[fact])).size > 1,
  )
  return iteration => plainLine(facts.map(fact => iteration[fact] ?? 'ralph').join(' · '))
}
