/** A finding of a review: where, and what fails. `id` is F1, F2, … in the order of the task's reviews. */
export type ReviewFinding = { id: string; path: string; line: number; failure: string }

type Dismissal = { id: string; why: string }

/** What the reviews of a task came to so far. */
export type ReviewState = {
  /** Those of the last rejection. */
  open: ReviewFinding[]
  /** Those that the coder has answered, with its reasons. */
  dismissed: (ReviewFinding & { why: string })[]
  /** How many findings have a number. */
  numbered: number
}

export const NO_REVIEWS: ReviewState = { open: [], dismissed: [], numbered: 0 }

const FINDING = /^\s*(?:[-*]\s+)?`?([^\s:`][^:`]*):(\d+)`?:\s*(\S.*)$/

/** The findings of a `<reject>`; lines in another form are not findings. */
const readFindings = (text: string): Omit<ReviewFinding, 'id'>[] =>
  text.split('\n').flatMap(line => {
    const [, path, number, failure] = FINDING.exec(line) ?? []
    return path && number && failure
      ? [{ path: path.trim(), line: Number(number), failure: failure.trim() }]
      : []
  })

const DISMISS = /<dismiss\s+(?:id=)?"?(F\d+)"?\s*>([\s\S]*?)<\/dismiss>/gi

/** The coder's answers to findings. */
const readDismissals = (text: string): Dismissal[] =>
  [...text.matchAll(DISMISS)].map(([, id = '', why = '']) => ({ id: id.toUpperCase(), why: why.trim() }))

/** After a rejection: its findings get numbers, and only those that were not dismissed are open. */
export function afterReject(state: ReviewState, text: string): ReviewState {
  const found = readFindings(text).filter(finding => !isDismissed(state, finding))
  const open = found.map((finding, index) => ({ ...finding, id: `F${state.numbered + index + 1}` }))
  return { ...state, open, numbered: state.numbered + open.length }
}

/** After the coder has worked: what it dismissed, with a reason, is answered. */
export function afterCoding(state: ReviewState, text: string): ReviewState {
  const answers = readDismissals(text).filter(({ why }) => why !== '')
  const answered = state.open.flatMap(finding => {
    const answer = answers.find(({ id }) => id === finding.id)
    return answer ? [{ ...finding, why: answer.why }] : []
  })
  if (answered.length === 0) return state
  const ids = answered.map(({ id }) => id)
  return {
    ...state,
    open: state.open.filter(({ id }) => !ids.includes(id)),
    dismissed: [...state.dismissed, ...answered],
  }
}

/** Whether a finding is one that was answered before. The line may have moved; the failure is what counts. */
const isDismissed = ({ dismissed }: ReviewState, finding: Omit<ReviewFinding, 'id'>): boolean =>
  dismissed.some(({ path, failure }) => path === finding.path && same(failure, finding.failure))

/** Whether a rejection says nothing but what was answered before: then it does not send the work back. */
export function repeatsDismissed(state: ReviewState, text: string): boolean {
  const found = readFindings(text)
  return found.length > 0 && found.every(finding => isDismissed(state, finding))
}

const same = (a: string, b: string): boolean => squeeze(a) === squeeze(b)
const squeeze = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()

export const findingLines = (findings: readonly ReviewFinding[]): string =>
  findings.map(({ id, path, line, failure }) => `${id} ${path}:${line}: ${failure}`).join('\n')
