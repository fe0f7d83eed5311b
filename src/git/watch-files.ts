import type { RunEvent } from '../core/events.ts'
import { listPaths } from '../core/format.ts'
import type { Env } from '../core/ports.ts'
import type { StepId } from '../core/table.ts'
import type { Start } from './start.ts'
import { contentOf, ignoredAtStart } from './status.ts'
import {
  changedBetween,
  fingerprintOf,
  isInRalphFolder,
  readTreeState,
  type TreeState,
} from './tree-state.ts'

/** How many paths of one iteration are journaled. The rest is only counted. */
const MAX_PATHS = 200

/** The user may not know that these are in the history now. */
const leakNote = (paths: string[]) =>
  `THE AGENT COMMITTED files that git ignored when the run began: ${listPaths(paths)}; they may be secret, so remove them from the history before anybody pushes`

export type FileWatch = {
  /** Call it before anything is changed: it reads the tree, unless its state is known. */
  begin(): Promise<void>
  /** Call it when the agent has ended: it starts to read the tree in the background. */
  prepare(): void
  /** A short text for the state of the tree. Null if it cannot be read. */
  fingerprint(): Promise<string | null>
  /** Every path that changed from the beginning of the run to the latest reading. Null if nobody can know. */
  touched(): Promise<ReadonlySet<string> | null>
  /** Whether a path changed since this iteration began. Null if nobody can know. */
  changedInStep(): Promise<boolean | null>
  /** The paths that differ between the last two fingerprints of this iteration. */
  changedLately(): Promise<string[]>
  /**
   * Those of these paths that are not as they were at the last two fingerprints of this iteration. After a crash those are
   * unknown. Then it is all of them, unless the tree still has the fingerprint that it was checked with.
   */
  uncheckedAmong(paths: readonly string[], checked: string | undefined): Promise<readonly string[]>
  /** Reads the tree again: ralph changed it itself, so what was read before does not count. */
  reread(): void
  /** Journals what an iteration changed. It reads the tree only if that was not done since the iteration ended. */
  record(id: StepId): Promise<void>
}

/**
 * Follows the changes of the tree. Reading it takes a call of git, so one reading answers both whether something changed
 * and what. `repository` is as the run found it. Null outside one. `known` is the state of the tree now; `start` is its
 * state when the run began.
 */
export function watchFiles(
  project: string,
  {
    repository,
    known,
    start,
  }: { repository: Start | null; known: TreeState | null; start: TreeState | null },
  env: Env,
  record: (event: RunEvent) => void,
  now: () => number,
): FileWatch {
  let recorded = known
  /** The last two states that were fingerprinted in this iteration. */
  let looks: TreeState[] = []
  let latest: TreeState | null = null
  /** What changed since the run began. Null until that is known, if an earlier process worked on the run. */
  let touched: Set<string> | null = known && known === start ? new Set() : null
  /** What changed until the latest reading: asked for twice, and git may have to be called. */
  let compared: { before: TreeState; after: TreeState; paths: string[] } | null = null
  let pending: Promise<TreeState | null> | null = null
  const isIgnored = ignoredAtStart(repository ?? undefined)
  const startReading = () =>
    repository === null ? Promise.resolve(null) : readTreeState(project, env, repository)
  const read = async () => {
    latest = await (pending ?? startReading())
    pending = null
    return latest
  }
  const changes = async (before: TreeState, after: TreeState) => {
    if (compared?.before !== before || compared.after !== after)
      compared = { before, after, paths: await changedBetween(before, after, env) }
    for (const path of compared.paths) touched?.add(path)
    return compared.paths
  }
  return {
    async begin() {
      if (pending || !recorded) {
        const current = await read()
        recorded ??= current
      }
      latest = null
      looks = []
    },
    prepare() {
      pending ??= startReading()
    },
    reread() {
      const before = pending ?? Promise.resolve(null)
      pending = before.then(startReading, startReading)
    },
    async fingerprint() {
      const current = await read()
      if (current) looks = [...looks.slice(-1), current]
      return current && fingerprintOf(current)
    },
    async touched() {
      const after = latest ?? (await read())
      if (!start || !after) return null
      if (touched && recorded) await changes(recorded, after)
      else touched = new Set(await changedBetween(start, after, env))
      return touched
    },
    async changedInStep() {
      const after = latest ?? (await read())
      return recorded && after && (await changes(recorded, after)).length > 0
    },
    async changedLately() {
      const [before, after] = looks
      return before && after ? changedBetween(before, after, env) : []
    },
    async uncheckedAmong(paths, checked) {
      if (looks.length === 0 && checked !== undefined) {
        const current = await startReading()
        return current && fingerprintOf(current) === checked ? [] : paths
      }
      return paths.filter(path => {
        const content = repository === null ? '' : contentOf(repository.root, path)
        return looks.some(({ contents }) => !isInRalphFolder(path) && contents.get(path) !== content)
      })
    },
    async record(id) {
      const before = recorded
      const after = latest ?? (await read())
      latest = null
      recorded = after ?? before
      // After a crash the state before is unknown.
      if (!before || !after) return
      const paths = await changes(before, after)
      // The tree without commits never has them.
      const leaked = paths.filter(isIgnored)
      if (leaked.length > 0) record({ type: 'warned', at: now(), note: leakNote(leaked) })
      record({ type: 'changed', at: now(), id, paths: paths.slice(0, MAX_PATHS), count: paths.length })
    },
  }
}
