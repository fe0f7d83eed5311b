import type { EndSnapshot } from './end-snapshot.ts'
import type { Start } from './start.ts'
import { contentOf, type Status } from './status.ts'
import { pathsBetween } from './tree-state.ts'

/**
 * What changed since a run ended. If the run changed the same path, the two changes cannot be told apart (`clashing`);
 * a path that the run did not change can stay as it is (`apart`).
 */
export async function changedSinceEnd(
  start: Start,
  end: EndSnapshot,
  now: Pick<Status, 'paths'>,
  env: Record<string, string>,
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
