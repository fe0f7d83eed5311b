import type { StepId } from '../../core/table.ts'

/** What an agent was not allowed to do, for later prompts. `after`: the last step that had begun when that was known. */
export type Correction = { text: string; after: StepId }

/** Only the latest, and each once. */
export const withCorrections = (
  known: readonly Correction[],
  texts: readonly string[],
  after: StepId,
): Correction[] => {
  const fresh = texts.filter(text => known.every(other => other.text !== text))
  return [...known, ...[...new Set(fresh)].map(text => ({ text, after }))].slice(-MOST)
}

const MOST = 20

/** Those that the prompt of a step did not have: they came after it began. */
export const unheardBy = (known: readonly Correction[], step: StepId): Correction[] =>
  known.filter(({ after }) => after >= step)
