import { formatCount, formatDuration, plural } from '../../core/format.ts'
import type { TaskId } from '../../core/task.ts'
import type { Tone } from '../page.ts'
import { asCheck, LONGEST_LINE, plainLine } from '../text/plain.ts'
import type { Iteration, IterationEnd } from './iterations.ts'
import type { Receipt } from './receipt.ts'
import { formatSender } from './requests.ts'
import { formatCost, NONE, type Spent } from './spent.ts'

// The texts that all forms of a receipt share. Each is plain text in one line.

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

/** `3 iterations, the last one cut off, and 2 that do not count`: as many as a person saw begin. */
export function formatIterations({
  counted,
  uncounted,
  begun = counted,
  unchecked = 0,
}: Receipt['totals']): string {
  const unfinished = begun - counted
  const again = uncounted - unfinished
  const last = begun === unfinished ? '' : `the last ${unfinished === 1 ? 'one' : unfinished} `
  return [
    plural(begun, 'iteration'),
    ...(unfinished > 0 ? [`${last}${unchecked > 0 ? 'still to be checked' : 'cut off'}`] : []),
    ...(again > 0 ? [`and ${again} that ${again === 1 ? 'does' : 'do'} not count`] : []),
  ].join(', ')
}

export const numberOf = ({ agent, n }: Iteration): string => (agent === null ? NONE : String(n))

/** `149K tokens in (128K cached), 704 out`. */
export function formatTokens({ usd, tokens, unpriced }: Spent): string {
  if (tokens === null) return usd === null && unpriced === 0 ? 'no tokens' : 'tokens unknown'
  return `${formatCount(tokens.input)} tokens in (${formatCount(tokens.cached)} cached), ${formatCount(tokens.output)} out`
}

/** `1m24s at work, 2m0s waiting, resumed twice`. */
export function formatTimes({ workedMs, waitedMs, incarnations }: Receipt['times']): string {
  const parts = [`${formatDuration(workedMs)} at work`]
  if (waitedMs > 0) parts.push(`${formatDuration(waitedMs)} waiting`)
  if (incarnations > 1) parts.push(`resumed ${formatTimesCount(incarnations - 1)}`)
  return parts.join(', ')
}

const formatTimesCount = (n: number): string => (n === 1 ? 'once' : n === 2 ? 'twice' : `${n} times`)

/** In UTC, like the id of the run. */
const formatMoment = (at: number): string =>
  `${new Date(at).toISOString().slice(0, 19).replace('T', ' ')} UTC`

const SHORT_HASH = 10

/** `committed 1a2b3c4d5e`; for the agent's own commits, the range. */
export const formatCommit = (commit: Commit): string =>
  `committed ${commit.by === 'ralph' ? '' : 'by the agent '}${formatHashes(commit)}`

type Commit = Iteration['commits'][number]

/** `1a2b3c4d5e`; for the agent's own commits, the range. */
export function formatHashes({ by, from, to }: Commit): string {
  const short = (hash: string) => plainLine(hash).slice(0, SHORT_HASH)
  return by === 'ralph' || from === null ? short(to) : `${short(from)}..${short(to)}`
}

const NAMED = 4

/** `3 files changed`. */
export const formatFileCount = (count: number, cut = false): string =>
  count === 0 ? 'no file changed' : `${cut ? 'more than ' : ''}${plural(count, 'file')} changed`

/** `5 files changed: a.js, b.js, c.js, d.js, …`. */
export function formatChanges({ count, paths }: { count: number; paths: string[] }): string {
  if (count === 0) return formatFileCount(0)
  const named = paths.slice(0, NAMED).map(path => plainLine(path))
  return plainLine(
    [`${formatFileCount(count)}: ${named.join(', ')}`, ...(count > NAMED ? ['…'] : [])].join(', '),
    LONGEST_LINE,
  )
}

const VERDICT_MARKS = { pass: '✓', fail: '✗', unsure: '?' } as const

export const markOf = ({ verdict, doubts }: Iteration['checks'][number]): string =>
  doubts ? '!' : VERDICT_MARKS[verdict]

/** `npm test failed with exit code 1`. */
export const formatCheck = ({ check, note, judgedBy }: Iteration['checks'][number]): string =>
  plainLine(
    [check, note, judgedBy === undefined ? '' : `· judged by ${judgedBy}`].filter(Boolean).join(' '),
    LONGEST_LINE,
  )

/** `the sandbox refused example.com`. */
export const formatDenied = (what: string): string => plainLine(`the sandbox refused ${what}`, LONGEST_LINE)

function filesFact({ files, filesCut, filesInTree }: Receipt['totals']): [string, string][] {
  if (filesInTree !== undefined) return [['files', formatFileCount(filesInTree)]]
  return files === null ? [] : [['files', formatFileCount(files, filesCut)]]
}

/** The facts about a run as a whole, by name. */
export const formatFacts = ({
  totals,
  times,
  project,
  command,
  agents,
  models = [],
  subject = null,
  undone,
}: Receipt): [string, string][] => [
  ...(undone === null ? [] : [['undone', `it is kept in ${plainLine(undone)}`] as [string, string]]),
  ['work', formatIterations(totals)],
  ...filesFact(totals),
  ['cost', formatCost(totals)],
  ['tokens', formatTokens(totals)],
  ['time', formatTimes(times)],
  ['began', formatMoment(times.began)],
  ['project', plainLine(project, LONGEST_LINE)],
  ['workflow', plainLine(command)],
  ...(subject === null ? [] : [subject.map(part => plainLine(part, LONGEST_LINE)) as [string, string]]),
  [
    'agent',
    plainLine([agents.join(', ') || 'none was called', models.join(', ')].filter(Boolean).join(' · ')),
  ],
]

/** The sections below the facts, by title. Empty ones are left out. */
export const formatSections = (receipt: Receipt): [title: string, lines: string[]][] =>
  (
    [
      ['Instructions', formatInstructions(receipt)],
      ['Requests', formatRequests(receipt)],
      ['Doubts', formatDoubts(receipt)],
      ['Reviews', [...formatReviews(receipt.reviews ?? []), ...formatCapped(receipt.reviews ?? [])]],
      ['Warnings', formatWarnings(receipt)],
      ['Left', formatOpenTasks(receipt)],
      ['Proposed follow-ups', formatFollowUps(receipt)],
    ] satisfies [string, string[]][]
  ).filter(([, lines]) => lines.length > 0)

/** The user's instructions, a line each. */
const formatInstructions = ({ told }: Receipt): string[] =>
  told.map(({ text, before }) =>
    plainLine(
      `${before === null ? 'after the last iteration' : `before iteration ${before}`}: ${text}`,
      LONGEST_LINE,
    ),
  )

/** What was asked from outside, when and by whom, a line each. */
const formatRequests = ({ requests }: Receipt): string[] =>
  requests.map(({ what, at, from }) => `${formatMoment(at)}: ${what}, ${formatSender(from)}`)

const formatWarnings = ({ warnings }: Receipt): string[] =>
  warnings.map(w => plainLine(w.note, LONGEST_LINE) + (w.times > 1 ? ` (${formatTimesCount(w.times)})` : ''))

/** Why green checks prove nothing, a line each. */
export const formatDoubts = ({ doubts }: Receipt): string[] =>
  doubts.flatMap(({ check, doubts }) => doubts.map(doubt => plainLine(`${check}: ${doubt}`, LONGEST_LINE)))

/** What could become tasks of their own. */
const formatFollowUps = ({ followUps }: Receipt): string[] =>
  followUps.map(({ task, text }) =>
    plainLine(
      `${text} (found with ${task}; to make it a task: ralph task followup ${task} ID TITLE)`,
      LONGEST_LINE,
    ),
  )

/** The tasks that are not done, a line each. Without a list, the result already says it. */
export const formatOpenTasks = ({ listed, left }: Receipt): string[] =>
  listed ? left.map(formatOpenTask) : []

/** `T1 · Add a cart (reviewing)`; with the reason if it is blocked. */
function formatOpenTask({ id, title, stage, doing, why }: Receipt['left'][number]): string {
  const state = doing ?? stage ?? 'not begun'
  return plainLine(
    `${id} · ${asCheck(title)} (${why === '' ? state : `${state}: ${asCheck(why)}`})`,
    LONGEST_LINE,
  )
}

/** How to go on. Null if there is nothing left to do or the run is at work. */
export function formatNextStep({ resume, left, ending, undone, deleted }: Receipt): string | null {
  if (resume !== null) return plainLine(resume)
  if (deleted) return left.length === 0 ? null : 'a new run: ralph gc deleted this one'
  if (undone !== null) return 'a new run: this one was undone'
  if (ending.type === 'open') return null
  if (left.length === 0) return null
  return ending.type === 'finished' && ending.result === 'blocked'
    ? 'a new run: what is left was cancelled'
    : 'a new run: this one was cancelled'
}

/**
 * What the last iteration came to, for a run that gave up: a limit alone does not say what is wrong. Null if the ending
 * says it, or if nothing is wrong.
 */
export function formatCause({ ending, iterations }: Pick<Receipt, 'ending' | 'iterations'>): string | null {
  if (ending.type !== 'finished' || !GIVEN_UP.includes(ending.result)) return null
  const last = iterations.findLast(i => i.end !== 'unsettled')
  if (!last) return null
  const red = last.checks.filter(check => check.verdict === 'fail').map(formatCheck)
  if (red.length > 0) return red.join(' · ')
  if (last.note !== '') return plainLine(last.note, LONGEST_LINE)
  return last.end === 'more' ? 'the agent did not say that it is done' : null
}

const GIVEN_UP: readonly string[] = ['exhausted', 'failures', 'budget']

/** The title of a receipt. */
export const formatTitle = ({ id, command }: Receipt): string =>
  `ralph ${plainLine(command)} ${plainLine(id)}`

/** Describes an iteration by its task, stage, agent and title, but only by those that are not the same in all iterations. */
export function distinguishingFacts(iterations: readonly Iteration[]): (iteration: Iteration) => string {
  const facts = (['task', 'stage', 'agent', 'title'] as const).filter(
    fact => new Set(iterations.map(iteration => iteration[fact])).size > 1,
  )
  return iteration => plainLine(asCheck(facts.map(fact => iteration[fact] ?? 'ralph').join(' · ')))
}

/** How often a story was reviewed, and what came of it. `isCapped`: no reviewer approved it. */
export type Reviewed = { task: TaskId; reviews: number; isDone: boolean; isCapped: boolean }

/** The reviews of each story, and whether they were worth it, a line each. None if nothing was reviewed. */
export function formatReviews(all: readonly Reviewed[]): string[] {
  const total = all.reduce((sum, { reviews }) => sum + reviews, 0)
  if (total === 0) return []
  const each = all.map(({ task, reviews }) => `${plainLine(task)} ${reviews}`).join(' · ')
  return [`${plural(total, 'review')}: ${each}`, ...worth(all)]
}

function worth(all: readonly Reviewed[]): string[] {
  const done = all.filter(({ isDone, reviews }) => isDone && reviews > 0)
  if (done.length === 0) return []
  const atOnce = done.filter(({ reviews, isCapped }) => reviews === 1 && !isCapped).length
  const reading =
    atOnce * 2 > done.length
      ? 'reviews found little here'
      : 'reviews found something in at least half of them'
  return [`${atOnce} of ${plural(done.length, 'story', 'stories')} approved at the first review: ${reading}`]
}

/** Stories that are done without a reviewer's approval. */
export const formatCapped = (all: readonly Reviewed[]): string[] =>
  all
    .filter(({ isCapped }) => isCapped)
    .map(({ task }) => `${plainLine(task)} was approved at the review cap, not by a reviewer: look at it`)
