import type { RunEvent } from '../core/events.ts'
import type { StepId } from '../core/table.ts'
import { changedBetween, fingerprintOf, readTreeState, type TreeState } from './tree-state.ts'

/** How many paths of one iteration are journaled; the rest is only counted. */
const MAX_PATHS = 200

export type FileWatch = {
  /** Call it before anything is changed: it reads the tree, unless its state is known. */
  begin(): Promise<void>
  /** Call it when the agent has ended: it starts to read the tree in the background. */
  prepare(): void
  /** A short text for the state of the tree; null if it cannot be read. */
  fingerprint(): Promise<string | null>
  /** Journals what an iteration changed. It reads the tree only if that was not done since the iteration ended. */
  record(id: StepId): Promise<void>
}

/**
 * Follows the changes of the tree. Reading it takes a call of git, so one reading answers both whether something changed
 * and what. `root` is the repository's top folder, null outside one; `known` is the state of the tree now.
 */
export function watchFiles(
  project: string,
  { root, known }: { root: string | null; known: TreeState | null },
  env: Record<string, string>,
  record: (event: RunEvent) => void,
  now: () => number,
): FileWatch {
  let recorded = known
  let latest: TreeState | null = null
  let pending: Promise<TreeState | null> | null = null
  const start = () => (root === null ? Promise.resolve(null) : readTreeState(project, env, root))
  const read = async () => {
    latest = await (pending ?? start())
    pending = null
    return latest
  }
  return {
    async begin() {
      if (pending || !recorded) {
        const current = await read()
        recorded ??= current
      }
      latest = null
    },
    prepare() {
      pending ??= start()
    },
    async fingerprint() {
      const current = await read()
      return current && fingerprintOf(current)
    },
    async record(id) {
      const before = recorded
      const after = latest ?? (await read())
      latest = null
      recorded = after ?? before
      // After a crash the state before is unknown.
      if (!before || !after) return
      const paths = await changedBetween(before, after, env)
      record({ type: 'changed', at: now(), id, paths: paths.slice(0, MAX_PATHS), count: paths.length })
    },
  }
}
