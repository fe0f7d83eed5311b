import type { StepId } from '../../core/table.ts'
import type { TreeState } from '../../git/tree-state.ts'

export interface ReviewTracker {
  /** A review is about to start on this tree. */
  onStart(id: StepId, look: TreeState): void
  /** The review's agent has exited, and no check has run yet. */
  onExit(id: StepId): Promise<void>
  /** The files that the review changed. Works after a crash too; the note is then removed. */
  takeTouched(id: StepId): Promise<string[]>
}

/** The tree before a review, as the note keeps it on disk. */
type ReviewNote = Omit<TreeState, 'contents'> & {
  id: StepId
  contents: [string, string][]
  touched: string[] | null
}

/** Tracks what a review changes. `note` keeps the tree from before the review. */
export function trackReviews(
  note: { read(): ReviewNote | null; write(stored: ReviewNote): void; drop(): void },
  changedSince: (before: TreeState) => Promise<string[]>,
): ReviewTracker {
  const noteFor = (id: StepId) => {
    const stored = note.read()
    return stored?.id === id ? stored : null
  }
  const changedFiles = (stored: ReviewNote) => changedSince({ ...stored, contents: new Map(stored.contents) })
  return {
    onStart(id, { root, head, contents }) {
      note.write({ id, root, head, contents: [...contents], touched: null })
    },
    async onExit(id) {
      const stored = noteFor(id)
      if (stored) note.write({ ...stored, touched: await changedFiles(stored) })
    },
    async takeTouched(id) {
      const stored = noteFor(id)
      if (!stored) return []
      const touched = stored.touched ?? (await changedFiles(stored))
      note.drop()
      return touched
    },
  }
}
