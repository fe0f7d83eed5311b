import { onOneLine } from '../../../core/format.ts'
import type { CriterionVerdict, JudgeAnswer } from './answer.ts'

/** The judgement of one piece of work, from all answers about it. */
export type Judged = { verdict: 'pass' | 'fail' | 'cannot_tell'; reason: string }

/** Whether a quoted line is in the diff or in the tree. */
export type IsInWork = (quoted: string) => boolean

/**
 * Folds the answers about the parts of a diff. Ralph decides, not the judge: every criterion needs a verdict with a line
 * that is really there. `isPartial` means that some of the diff was shown to nobody.
 */
export function foldAnswers(
  criteria: readonly { id: string; text: string }[],
  answers: readonly JudgeAnswer[],
  isInWork: IsInWork,
  isPartial: boolean,
): Judged {
  const injection = answers.find(answer => answer.injection !== null)?.injection
  if (injection) return { verdict: 'fail', reason: `The work addresses its judge: ${shortened(injection)}` }
  const folded = criteria.map(({ id, text }) => {
    const verdicts = answers.flatMap(answer => answer.criteria.filter(entry => entry.id === id))
    return { text, ...foldCriterion(text, verdicts, isInWork, isPartial) }
  })
  const failed = folded.filter(({ verdict }) => verdict === 'fail')
  if (failed.length > 0) return { verdict: 'fail', reason: named('Criterion not evident', failed) }
  const unknown = folded.filter(({ verdict }) => verdict === 'cannot_tell')
  if (unknown.length > 0) return { verdict: 'cannot_tell', reason: named('Nobody can tell', unknown) }
  return { verdict: 'pass', reason: 'All criteria appear met' }
}

type Folded = { verdict: Judged['verdict']; why: string }

/** A fail always counts. What must be there has to be seen once; what must not be there, in every part. */
function foldCriterion(
  text: string,
  verdicts: readonly CriterionVerdict[],
  isInWork: IsInWork,
  isPartial: boolean,
): Folded {
  const fail = verdicts.find(({ verdict }) => verdict === 'fail')
  if (fail) return { verdict: 'fail', why: fail.evidence || 'the judge gave no reason' }
  const passes = verdicts.filter(({ verdict }) => verdict === 'pass')
  const absence = isAbsence(text)
  const invented = passes.find(({ evidence }) => evidence.trim() !== '' && !isInWork(evidence))
  if (invented)
    return {
      verdict: 'fail',
      why: `the judge quoted a line that is not there: ${shortened(invented.evidence)}`,
    }
  if (absence) {
    const all = verdicts.length > 0 && passes.length === verdicts.length && !isPartial
    return all ? { verdict: 'pass', why: '' } : { verdict: 'cannot_tell', why: unclear(verdicts) }
  }
  if (passes.some(({ evidence }) => evidence.trim() !== '')) return { verdict: 'pass', why: '' }
  if (passes.length > 0) return { verdict: 'fail', why: 'the judge quoted no line that shows it' }
  return { verdict: 'cannot_tell', why: unclear(verdicts) }
}

const unclear = (verdicts: readonly CriterionVerdict[]): string =>
  verdicts.find(({ verdict, evidence }) => verdict === 'cannot_tell' && evidence !== '')?.evidence ??
  'not all of the diff could be shown'

/** Two judgements of the same work, with the criteria in another order. If they differ, neither counts. */
export function foldTwice(first: Judged, second: Judged): Judged {
  if (first.verdict === second.verdict) return first
  if (first.verdict === 'cannot_tell' || second.verdict === 'cannot_tell')
    return first.verdict === 'fail' ? first : second.verdict === 'fail' ? second : unsureOf(first, second)
  return { verdict: 'fail', reason: `Two judgements differ: "${first.reason}" and "${second.reason}"` }
}

const unsureOf = (first: Judged, second: Judged): Judged => (first.verdict === 'cannot_tell' ? first : second)

const named = (what: string, found: readonly { text: string; why: string }[]): string =>
  found.map(({ text, why }) => `${what}: ${text} (${shortened(why)})`).join('; ')

const LONGEST = 300

function shortened(text: string): string {
  const line = onOneLine(text)
  return line.length > LONGEST ? `${line.slice(0, LONGEST)}…` : line
}

/** A quote that is shorter says nothing: most files have a line with a bracket. */
const SHORTEST = 4

/** A quoted line as it is compared: without the sign of a diff, quotes around it, and with single spaces. */
export function quotedLine(evidence: string): string | null {
  const line = evidence
    .split('\n')
    .map(onOneLine)
    .find(part => part !== '')
  if (line === undefined) return null
  const bare = line
    .replace(/^(?:[`"'“”]+)(.*?)(?:[`"'“”]+)$/, '$1')
    .replace(/^[+-] ?(?=\S)/, '')
    .trim()
  return bare.length < SHORTEST ? null : bare
}

/** Whether one of these lines has the quoted text in it. */
export function isQuotedIn(lines: readonly string[]): (evidence: string) => boolean {
  const shown = lines.map(onOneLine)
  return evidence => {
    const line = quotedLine(evidence)
    return line !== null && shown.some(candidate => candidate.includes(line))
  }
}

/** Words by which a criterion asks that something is not there. No line can be quoted for that. */
const ABSENCE =
  /\b(?:no|not|none|never|nothing|neither|nor|without|cannot|free of|absence of|avoids?|removed|deleted)\b|n't\b/i

/** Whether the proof of a criterion is that something is absent. */
const isAbsence = (criterion: string): boolean => ABSENCE.test(criterion)

/** The first line with a pattern in it, in any case of letters, or null. */
export function findPattern(
  patterns: readonly string[],
  lines: readonly string[],
): { pattern: string; line: string } | null {
  for (const pattern of patterns) {
    const wanted = pattern.toLowerCase()
    const line = lines.find(candidate => candidate.toLowerCase().includes(wanted))
    if (line !== undefined) return { pattern, line: line.trim() }
  }
  return null
}
