import { atMost, formatCount, formatDuration, formatUsd, plural } from '../../core/format.ts'
import type { Tone } from '../page.ts'
import { formatFileCount, formatTokens } from '../report/format.ts'
import { formatCost, usdOrUnknown } from '../report/spent.ts'
import { asCheck, LONGEST_LINE, plainLine } from '../text/plain.ts'
import { clockTime } from '../time.ts'
import type { AtWork, Costs, DoneTask, LandedRun, LookAt, Morning, Need, RunName } from './model.ts'

// The texts that all forms of a morning report share. Each is plain text in one line.

const line = (text: string): string => plainLine(text, LONGEST_LINE)

/** `ralph morning: 3 runs since yesterday 18:00`. */
export const formatHead = ({ runs, words }: Morning): string =>
  `ralph morning: ${plural(runs, 'run')} ${words}`

/** Nothing happened, and what one could do about it. */
export const formatQuiet = ({ words }: Pick<Morning, 'words'>): string =>
  `A quiet night: nothing ran ${words}; start with: ralph spawn`

export const isQuiet = ({ runs }: Morning): boolean => runs === 0

/** `build: Add a cart`. */
export const formatWork = ({ command, work }: RunName): string =>
  line(work === '' ? command : `${command}: ${work}`)

/** `T3 · Add tax asks: Which country's?`; what the whole run needs goes without a name. */
export function formatNeed({ kind, task, title, why }: Need): string {
  const reason = asCheck(why)
  if (task === null) return line(reason)
  const name = `${task} · ${asCheck(title)}`
  return line(`${name} ${NEED_WORDS[kind] ?? 'is blocked'}: ${reason}`)
}

const NEED_WORDS: Partial<Record<Need['kind'], string>> = {
  question: 'asks',
  decision: 'is left for you',
}

/** The task, how it is done, and its commits. The whole run is named elsewhere. */
export const formatDone = ({
  task,
  title,
  how,
  commits,
}: DoneTask): [title: string, how: string, commits: string] => [
  task === null ? '' : line(`${task} · ${asCheck(title)}`),
  DONE_WORDS[how],
  formatCommits(commits),
]

const DONE_WORDS: Record<DoneTask['how'], string> = {
  verified: 'verified',
  doubted: 'green, but doubted',
  claimed: 'claimed',
  capped: 'AUTO-APPROVED AT THE CAP',
  person: 'done by a person',
}

export const DONE_TONES: Record<DoneTask['how'], Tone> = {
  verified: 'good',
  doubted: 'bad',
  claimed: 'middling',
  capped: 'bad',
  person: 'good',
}

/** `1a2b3c4d5e`; `commits up to 1a2b3c4d5e` if there are several, or may be. */
function formatCommits(commits: readonly string[]): string {
  const last = commits.at(-1)?.replace(/^.*\.\./, '') ?? ''
  return commits.length > 1 || (commits[0] ?? '') !== last ? `commits up to ${last}` : last
}

/** `3 files changed, not committed`. Empty if nothing is known. */
export const formatChangesOf = ({ files, filesCut, isCommitted }: LandedRun): string => {
  if (files === null) return ''
  const text = formatFileCount(files, filesCut)
  return files > 0 && !isCommitted ? `${text}, not committed` : text
}

/** What a run cost, each verified task of it, its time and its tokens. A plus: calls of unknown cost came on top. */
export const formatCells = (costs: Costs): [cost: string, each: string, time: string, tokens: string] => [
  `${usdOrUnknown(costs)}${costs.usd !== null && costs.unpriced > 0 ? '+' : ''}`,
  formatEach(costs),
  formatDuration(costs.workedMs),
  costs.tokens === null
    ? 'unknown'
    : `${formatCount(costs.tokens.input)} / ${formatCount(costs.tokens.output)}`,
]

function formatEach({ perVerified, estimated, verified }: Costs): string {
  if (verified === 0) return 'none verified'
  return perVerified === null ? 'unknown' : formatUsd(perVerified, estimated)
}

/** `$4.20 · 2 verified tasks, $2.10 each · 1.2M tokens in (1.1M cached), 8K out · 2h5m at work`. */
export function formatTotal(costs: Costs): string {
  const { verified, perVerified, estimated, workedMs, waitedMs } = costs
  const each = perVerified === null ? '' : `, ${formatUsd(perVerified, estimated)} each`
  return [
    formatCost(costs),
    verified === 0 ? 'no verified task' : `${plural(verified, 'verified task')}${each}`,
    formatTokens(costs),
    `${formatDuration(workedMs)} at work${waitedMs > 0 ? `, ${formatDuration(waitedMs)} waiting` : ''}`,
  ].join(' · ')
}

export const formatReasons = ({ reasons }: LookAt): string =>
  line(reasons.map(reason => asCheck(reason)).join(' · '))

/** `running, began 22:15 · iteration 3 of 10 · T2 Adding tax · $1.20 so far`. */
export function formatAtWork(
  { phase, began, iteration, iterations, doing, spent }: AtWork,
  now: number,
): string {
  const of = iterations === null ? '' : ` of ${iterations}`
  return line(
    [
      `${phase}, began ${clockTime(began, now)}`,
      `iteration ${iteration}${of}`,
      doing ?? '',
      `${formatCost(spent)} so far`,
    ]
      .filter(Boolean)
      .join(' · '),
  )
}

/** `… and 3 more`, and where to see them. */
export const formatMore = (more: number): string => `… and ${more} more; ralph morning --json has them all`

const MOST_SKIPPED = 3

/** The runs that cannot be read, as warnings. */
export const skippedLines = ({ skipped }: Pick<Morning, 'skipped'>): string[] =>
  atMost(
    skipped.map(({ run, why }) => `run ${plainLine(run)} is left out: ${line(why)}`),
    MOST_SKIPPED,
    more => `${plural(more, 'more run')} cannot be read`,
  )
