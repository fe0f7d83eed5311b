import { failurePause, limitedUntil } from '../../core/limits.ts'
import type { CheckWork, Clock } from '../../core/ports.ts'
import type { StepId } from '../../core/table.ts'
import { addedLines, type FileDiff, partsOf, presentLines, splitDiff } from '../../core/verification/diff.ts'
import type { SemanticConfig } from '../../core/verification/method.ts'
import type { Verified } from '../verification.ts'
import { ANSWER_SCHEMA, type JudgeAnswer, readAnswer, readMarkedLine } from './rules/answer.ts'
import { findPattern, foldAnswers, foldTwice, isQuotedIn, type Judged, quotedLine } from './rules/fold.ts'
import { judgePrompt } from './rules/prompt.ts'

/** How much of a diff one question may hold, in characters, and how many questions one judgement may take. */
const PARTS = { cap: 120_000, most: 4 }
/** How much of each command's output the judge sees, in characters. */
const LOG_TAIL = 2000
/** How often a judge that fails is asked again. */
const RETRIES = 2

/** Puts one question to the judge. It never throws for what a judge does. */
export type AskJudge = (
  /** A `model` of null is the CLI's own default; without one it is the judge's. */
  question: { schema: object; prompt(by: 'schema' | 'line'): string; model?: string | null },
  id: StepId,
) => Promise<JudgeReply>

export type JudgeReply = {
  /** Which CLI judged. */
  agent: string
  /** Whether the same CLI writes the code. */
  isSameVendor: boolean
  ok: boolean
  note: string
  answer: { by: 'schema'; value: unknown } | { by: 'line'; text: string }
  limited?: { resetsAt?: number; note: string }
  /** The service rejects this agent or its model. */
  isUnusable: boolean
}

/** The work to judge. */
export type JudgedWork = {
  /** The output of `git diff` about it, or null without a repository. */
  diff: string | null
  /** Whether a text is in a file of the tree. */
  isInTree(text: string): Promise<boolean>
}

export type JudgeOptions = {
  ask: AskJudge
  workOf(since: string | undefined): Promise<JudgedWork>
  /** Letters that nobody can guess. */
  nonce(): string
  clock: Clock
  sleep(ms: number, signal: AbortSignal): Promise<void>
  warn(note: string): void
  onJudgeError: 'again' | 'string_match'
  /** How long to wait for a limited judge. */
  limitWaitMs: number
}

/** Where and how something is judged. */
export type JudgeScope = { since?: string; isTwice: boolean }

/** Verifies criteria: first by patterns that show that the work is incomplete, then by a judge. */
export async function judgeCriteria(
  config: SemanticConfig,
  work: CheckWork,
  scope: JudgeScope,
  options: JudgeOptions,
  signal: AbortSignal,
): Promise<Verified> {
  const material = await options.workOf(scope.since)
  const files = material.diff === null ? [] : splitDiff(material.diff)
  const lines = config.in === 'diff' ? addedLines(files) : work.text.split('\n')
  const found = findPattern(config.negative_patterns, lines)
  if (found)
    return {
      verdict: 'fail',
      reason: `Found negative pattern: ${found.pattern} (in the line: ${found.line})`,
    }
  if (config.check_for.length === 0) return { verdict: 'pass', reason: 'No negative pattern found' }
  if (material.diff === null)
    return undecided('there is no git repository, so there is no diff to judge', options)
  const logs = await logsOf(work)
  const session: JudgeSession = { config, work, files, logs, material, options, signal, judgedBy: null }
  const first = await judgeOnce(session, config.check_for)
  if (!scope.isTwice || 'error' in first || first.verdict !== 'pass') return verifiedFrom(first, session)
  const second = await judgeOnce(session, [...config.check_for].reverse())
  return verifiedFrom('error' in second ? second : foldTwice(first, second), session)
}

type JudgeSession = {
  config: SemanticConfig
  work: CheckWork
  files: readonly FileDiff[]
  logs: readonly { command: string; output: string }[]
  material: JudgedWork
  options: JudgeOptions
  signal: AbortSignal
  /** Who has judged, for the receipt. */
  judgedBy: string | null
}

/** One judgement: a question for each part of the diff. */
async function judgeOnce(
  session: JudgeSession,
  checkFor: readonly string[],
): Promise<Judged | { error: string }> {
  const { files, material } = session
  const criteria = checkFor.map((text, index) => ({ id: `c${index + 1}`, text }))
  const { parts, left } = partsOf(files, PARTS)
  const answers: JudgeAnswer[] = []
  for (const [index, part] of parts.entries()) {
    const answer = await askPart(session, criteria, part, { index, of: parts.length }, left)
    if ('error' in answer) return answer
    answers.push(answer)
  }
  const isInDiff = isQuotedIn(presentLines(files))
  const elsewhere = new Set<string>()
  for (const { evidence } of answers.flatMap(answer => answer.criteria)) {
    const line = quotedLine(evidence)
    if (line !== null && !isInDiff(evidence) && (await material.isInTree(line))) elsewhere.add(evidence)
  }
  return foldAnswers(criteria, answers, quoted => isInDiff(quoted) || elsewhere.has(quoted), left.length > 0)
}

/** Asks about one part, again if the judge fails, waiting while it is limited. */
async function askPart(
  session: JudgeSession,
  criteria: readonly { id: string; text: string }[],
  files: readonly FileDiff[],
  part: { index: number; of: number },
  left: readonly FileDiff[],
): Promise<JudgeAnswer | { error: string }> {
  const { config, work, logs, options, signal } = session
  const { clock } = options
  let model: string | null | undefined = config.model ?? undefined
  let waited = 0
  let limits = 0
  let why = ''
  for (let failures = 0; failures <= RETRIES && !signal.aborted; ) {
    const nonce = options.nonce()
    const material = { criteria, files, logs, part, hidden: left.map(({ path }) => path) }
    const mark = `VERDICT-${nonce}:`
    const prompt = (by: 'schema' | 'line') =>
      judgePrompt(material, nonce, by === 'schema' ? { schema: true } : { mark })
    const reply = await options.ask({ schema: ANSWER_SCHEMA, prompt, model }, work.step.id)
    const read = reply.ok ? readReply(reply, mark, criteria) : { error: reply.note || 'it gave no answer' }
    session.judgedBy = `${reply.agent}${reply.isSameVendor ? ' (same vendor)' : ''}`
    if (!('error' in read)) return read
    why = `${reply.agent}: ${read.error}`
    if (reply.limited) {
      const pause = limitedUntil(reply.limited.resetsAt, ++limits, clock.now()) - clock.now()
      waited += pause
      if (waited > options.limitWaitMs) break
      await options.sleep(pause, signal)
      continue
    }
    if (reply.isUnusable && model !== null) {
      options.warn(`the judge's model cannot be used (${why}); the default of ${reply.agent} judges instead`)
      model = null
      continue
    }
    failures++
    if (failures <= RETRIES) await options.sleep(failurePause(failures), signal)
  }
  return { error: why }
}

const readReply = (
  { answer }: JudgeReply,
  mark: string,
  criteria: readonly { id: string }[],
): JudgeAnswer | { error: string } => {
  const value = answer.by === 'schema' ? answer.value : readMarkedLine(answer.text, mark)
  return value === undefined
    ? { error: 'it answered in another form than it was asked for' }
    : readAnswer(
        value,
        criteria.map(({ id }) => id),
      )
}

/** The ends of what commands printed in this pass. */
async function logsOf({ runs }: CheckWork): Promise<{ command: string; output: string }[]> {
  const ran = await Promise.all(runs?.values() ?? [])
  return ran.map(({ command, output, head }) => ({ command, output: (output ?? head).slice(-LOG_TAIL) }))
}

function verifiedFrom(
  judged: Judged | { error: string },
  { options, judgedBy }: Pick<JudgeSession, 'options' | 'judgedBy'>,
): Verified {
  if ('error' in judged) return undecided(`the judge failed: ${judged.error}`, options)
  if (judged.verdict === 'cannot_tell') return undecided(judged.reason, options)
  return { verdict: judged.verdict, reason: judged.reason, ...(judgedBy !== null && { judgedBy }) }
}

/** What a judge could not decide is not verified; with `string_match`, the promise alone counts, as a claim. */
function undecided(why: string, { onJudgeError, warn }: JudgeOptions): Verified {
  warn(`semantic verification did not decide: ${why}`)
  return onJudgeError === 'string_match'
    ? { verdict: 'pass', reason: `Promise found in output; not judged: ${why}`, claim: true }
    : { verdict: 'unsure', reason: why, undecided: true }
}
