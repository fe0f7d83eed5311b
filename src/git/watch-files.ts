import type { RunEvent } from '../core/events.ts'
import type { StepId } from '../core/table.ts'
import { changedBetween, fingerprintOf, type Look, lookAt } from './look.ts'

/** How many paths of one iteration are named; of the others there is a count. */
const NAMED = 200

export type FileWatch = {
  /** To be called before anything is changed: looks, unless it is known how the tree stands. */
  begin(): Promise<void>
  /** The agent is gone: begins to look while others have something else to do. */
  prepare(): void
  /** The tree in a few characters; null when it cannot be told. */
  fingerprint(): Promise<string | null>
  /** Puts on record what an iteration changed. Looks only if nobody has since it ended. */
  record(id: StepId): Promise<void>
}

/**
 * Follows the tree from look to look. A look costs a call of git, so the one that tells whether anything
 * changed also tells what. `root` is the repository's top, null outside one; `known` how the tree stands now.
 */
export function watchFiles(
  project: string,
  { root, known }: { root: string | null; known: Look | null },
  env: Record<string, string>,
  tell: (event: RunEvent) => void,
  now: () => number,
): FileWatch {
  let told = known
  let fresh: Look | null = null
  let begun: Promise<Look | null> | null = null
  const start = () => (root === null ? Promise.resolve(null) : lookAt(project, env, root))
  const look = async () => {
    fresh = await (begun ?? start())
    begun = null
    return fresh
  }
  return {
    async begin() {
      if (begun || !told) {
        const seen = await look()
        told ??= seen
      }
      fresh = null
    },
    prepare() {
      begun ??= start()
    },
    async fingerprint() {
      const seen = await look()
      return seen && fingerprintOf(seen)
    },
    async record(id) {
      const before = told
      const after = fresh ?? (await look())
      fresh = null
      told = after ?? before
      // After a crash nobody knows how it was before.
      if (!before || !after) return
      const paths = await changedBetween(before, after, env)
      tell({ type: 'changed', at: now(), id, paths: paths.slice(0, NAMED), count: paths.length })
    },
  }
}
