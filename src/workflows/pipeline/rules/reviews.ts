import type { StepId } from '../../../core/table.ts'

/** A finding of a review: where, and what fails. `id` is F1, F2, … in the order of the task's reviews. */
export type ReviewFinding = { id: string; path: string; line: number; failure: string }

type Dismissal = { id: string; why: string }

/** What the reviews of a task came to so far. */
export type ReviewState = {
  /** The step that sent it back last. */
  step: StepId | null
  /** The findings of that rejection, without those that were answered. */
  open: ReviewFinding[]
  /** The tree that was sent back with them. Null outside a repository. */
  tree: string | null
  /** Those that the coder has answered, with its reasons. Their lines are numbered as in `tree`. */
  dismissed: (ReviewFinding & { why: string; tree: string | null })[]
  /** How many findings have a number. */
  numbered: number
}

export const NO_REVIEWS: ReviewState = { step: null, open: [], tree: null, dismissed: [], numbered: 0 }

const FINDING = /^\s*(?:[-*]\s+)?`?([^\s:`][^:`]*):(\d+)`?:\s*(\S.*)$/

/** A finding before it has a number. */
export type FoundFinding = Omit<ReviewFinding, 'id'>

/** The findings of a `<reject>`. Lines in another form are not findings. */
export const readFindings = (text: string): FoundFinding[] =>
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

/** After a step sent this tree back: its findings get numbers, and only those that were not dismissed are open. */
export function afterReject(
  state: ReviewState,
  { step, text, tree }: { step: StepId; text: string; tree: string | null },
): ReviewState {
  const open = readFindings(text).map((finding, index) => ({
    ...finding,
    id: `F${state.numbered + index + 1}`,
  }))
  return { ...state, step, open, tree, numbered: state.numbered + open.length }
}

/** After the coder has worked: what it dismissed, with a reason, is answered. */
export function afterCoding(state: ReviewState, text: string): ReviewState {
  const answers = readDismissals(text).filter(({ why }) => why !== '')
  const answered = state.open.flatMap(finding => {
    const answer = answers.find(({ id }) => id === finding.id)
    return answer ? [{ ...finding, why: answer.why, tree: state.tree }] : []
  })
  if (answered.length === 0) return state
  const ids = answered.map(({ id }) => id)
  return {
    ...state,
    open: state.open.filter(({ id }) => !ids.includes(id)),
    dismissed: [...state.dismissed, ...answered],
  }
}

/** The answer to a finding, if it was answered before. The line may have moved; the failure is what counts. */
export const dismissalOf = (
  { dismissed }: ReviewState,
  { path, failure }: FoundFinding,
): ReviewState['dismissed'][number] | undefined =>
  dismissed.findLast(other => other.path === path && same(other.failure, failure))

const same = (a: string, b: string): boolean => squeeze(a) === squeeze(b)
const squeeze = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()

export const findingLine = ({ path, line, failure }: FoundFinding): string => `${path}:${line}: ${failure}`

export const findingLines = (findings: readonly ReviewFinding[]): string =>
  findings.map(finding => `${finding.id} ${findingLine(finding)}`).join('\n')
