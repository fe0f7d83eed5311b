import type { Finding, Outcome } from '../../../core/events.ts'

type Verdict = NonNullable<Extract<Outcome, { end: 'ok' }>['verdict']>

const WORDS: Record<Verdict, string> = { approve: 'approved', reject: 'changes_requested' }

/** Asks a review for its verdict. It has no complete tag, because an agent command may print its prompt. */
export const VERDICT_REQUEST =
  'The last line of your final message is your verdict, the same as in tasks.json, in this tag: <verdict>…</verdict> ' +
  'with approved or changes_requested in it. Without that line the review does not count.'

/** The verdict in a review's final text. Tags that contradict each other say nothing: one may be a quotation. */
export function spokenVerdict(text: string): Verdict | null {
  const tags = [...text.matchAll(/<verdict>\s{0,9}(approved|changes[_ ]requested)\s{0,9}<\/verdict>/gi)]
  const said = new Set(tags.map(([, word]) => (/^approved$/i.test(word!) ? 'approve' : 'reject') as Verdict))
  const [only] = said
  return only !== undefined && said.size === 1 ? only : null
}

/**
 * While a review runs, code under review may write into tasks.json. So a verdict there counts only if the reviewer's own
 * words say the same; otherwise this is the finding, and the story is reviewed again.
 */
export function unspokenVerdict(written: Verdict | undefined, text: string): Finding | null {
  const said = spokenVerdict(text)
  if (written === undefined || written === said) return null
  const instead = said === null ? 'gives no clear verdict' : `says ${WORDS[said]}`
  const note = `A review wrote ${WORDS[written]} into tasks.json, but its final message ${instead}, so it does not count. ${VERDICT_REQUEST}`
  return { check: 'verdict', verdict: 'unsure', note, claim: true }
}
