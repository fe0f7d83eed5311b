import type { Env } from '../core/ports.ts'
import { commitOf } from './git.ts'
import type { Start } from './start.ts'
import { contentOf, readStatus, type Status } from './status.ts'
import { pathsBetween } from './tree-state.ts'

/** The repository when a run ended. Later differences were not made by the run. */
export type EndSnapshot = {
  head: string | null
  branch: string | null
  /** The tip of the branch that the run began on. Null if it does not exist. */
  base: string | null
  dirty: Record<string, string>
}

export async function recordEnd(start: Start, env: Env): Promise<EndSnapshot | null> {
  const status = await readStatus(start.root, env, { start })
  if (!status) return null
  const { head, branch, paths } = status
  return {
    head,
    branch,
    base: branch !== null && branch === start.branch ? head : await startBranchTip(start, env),
    dirty: Object.fromEntries(paths.map(path => [path, contentOf(start.root, path)])),
  }
}

/** The tip of the branch that a run began on. Null if it does not exist. */
export async function startBranchTip({ root, branch }: Start, env: Env): Promise<string | null> {
  return branch === null ? null : commitOf(root, env, `refs/heads/${branch}`)
}

/**
 * What changed since a run ended. If the run changed the same path, nobody can separate the two changes (`clashing`);
 * a path that the run did not change can stay as it is (`apart`).
 */
export async function changedSinceEnd(
  start: Start,
  end: EndSnapshot,
  now: Pick<Status, 'paths'>,
  env: Env,
): Promise<{ clashing: string[]; apart: string[] }> {
  const paths = [...new Set([...Object.keys(end.dirty), ...now.paths])].filter(path =>
    Object.hasOwn(end.dirty, path) ? end.dirty[path] !== contentOf(start.root, path) : true,
  )
  if (paths.length === 0) return { clashing: [], apart: [] }
  const committed = new Set(await pathsBetween(start.root, env, start.head, end.head))
  const isChangedByRun = (path: string) => {
    const before = Object.hasOwn(start.dirty, path) ? start.dirty[path] : undefined
    const after = Object.hasOwn(end.dirty, path) ? end.dirty[path] : undefined
    return before !== after || (before === undefined && committed.has(path))
  }
  return { clashing: paths.filter(isChangedByRun), apart: paths.filter(path => !isChangedByRun(path)) }
}

/** The uncommitted changes that somebody made since a run ended. */
export async function changedMeanwhile(start: Start, end: EndSnapshot, env: Env): Promise<string[]> {
  const status = await readStatus(start.root, env, { start })
  const before = (path: string) => (Object.hasOwn(end.dirty, path) ? end.dirty[path] : undefined)
  return (status?.paths ?? []).filter(path => before(path) !== contentOf(start.root, path))
}
