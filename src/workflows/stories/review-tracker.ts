import type { StepId } from '../../core/table.ts'
import type { TaskId } from '../../core/task.ts'
import type { TreeState } from '../../git/tree-state.ts'
import type { GitRefs } from './copied-approval.ts'

export interface ReviewTracker {
  /** A review is about to start on this tree. */
  onStart(id: StepId, look: TreeState): Promise<void>
  /** The review's agent has exited, and no check has run yet. */
  onExit(id: StepId): Promise<void>
  /** Whether the review gave this approval itself, instead of copying one that was already in git. */
  isOwnApproval(id: StepId, story: TaskId): Promise<boolean>
  /** What the review changed, and where it copied its approval from. Works after a crash too; the note is then removed. */
  takeActions(id: StepId): Promise<{ touched: string[]; from: string | null }>
}

/** The tree before a review, as the note keeps it on disk. */
type ReviewNote = Omit<TreeState, 'contents'> & {
  id: StepId
  contents: [string, string][]
  had: GitRefs
  touched: string[] | null
  from: string | null
}

type Git = {
  changedSince(before: TreeState): Promise<string[]>
  readRefs(): Promise<GitRefs>
  findCopied(before: GitRefs, story: TaskId): Promise<string | null>
}

/** Tracks what a review changes. `note` keeps the tree from before the review. */
export function trackReviews(
  note: { read(): ReviewNote | null; write(stored: ReviewNote): void; drop(): void },
  git: Git,
): ReviewTracker {
  const noteFor = (id: StepId) => {
    const stored = note.read()
    return stored?.id === id ? stored : null
  }
  const changedFiles = (stored: ReviewNote) =>
    git.changedSince({ ...stored, contents: new Map(stored.contents) })
  return {
    async onStart(id, { root, head, contents }) {
      const had = await git.readRefs()
      note.write({ id, root, head, contents: [...contents], had, touched: null, from: null })
    },
    async onExit(id) {
      const stored = noteFor(id)
      if (stored) note.write({ ...stored, touched: await changedFiles(stored) })
    },
    async isOwnApproval(id, story) {
      const stored = noteFor(id)
      const from = stored && (await git.findCopied(stored.had, story))
      if (stored && from !== null) note.write({ ...stored, from })
      return from === null
    },
    async takeActions(id) {
      const stored = noteFor(id)
      if (!stored) return { touched: [], from: null }
      const touched = stored.touched ?? (await changedFiles(stored))
      note.drop()
      return { touched, from: stored.from }
    },
  }
}
