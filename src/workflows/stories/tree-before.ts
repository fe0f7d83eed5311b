import type { StageName } from '../../core/table.ts'
import type { TreeState } from '../../git/tree-state.ts'

export type TreeBefore = {
  /** Call it before anything of an iteration is prepared: git reads the tree meanwhile. */
  begin(stage: StageName): void
  /** Ralph changed the story file itself. */
  wrote(): void
  /** The tree before the iteration; null if git cannot tell. */
  get(): Promise<TreeState | null>
}

/**
 * The tree before an iteration. `look` reads it; `known` is how the last agent left it, if nothing else changed it since.
 * A review is judged by what it changed, so its tree is always read.
 */
export function treeBefore(look: () => Promise<TreeState | null>, known: () => TreeState | null): TreeBefore {
  let hasWritten = false
  let looking: Promise<TreeState | null> = Promise.resolve(null)
  return {
    begin(stage) {
      const left = stage === 'review' || hasWritten ? null : known()
      hasWritten = false
      looking = left ? Promise.resolve(left) : look()
      // Whoever awaits it gets the error.
      looking.catch(() => {})
    },
    wrote() {
      hasWritten = true
    },
    get: () => looking,
  }
}
