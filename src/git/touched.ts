import type { Left } from './left.ts'
import { pathsBetween } from './look.ts'
import type { Start } from './start.ts'
import { contentOf, type Status } from './status.ts'

/**
 * What changed since a run ended. Where the run had changed it before, nobody can tell the two apart
 * (`clashing`); what it never touched can stay as it is (`apart`).
 */
export async function touchedSince(
  start: Start,
  left: Left,
  now: Pick<Status, 'paths'>,
  env: Record<string, string>,
): Promise<{ clashing: string[]; apart: string[] }> {
  const paths = [...new Set([...Object.keys(left.dirty), ...now.paths])].filter(path =>
    Object.hasOwn(left.dirty, path) ? left.dirty[path] !== contentOf(start.root, path) : true,
  )
  if (paths.length === 0) return { clashing: [], apart: [] }
  const committed = new Set(await pathsBetween(start.root, env, start.head, left.head))
  const byRun = (path: string) => {
    const was = Object.hasOwn(start.dirty, path) ? start.dirty[path] : undefined
    const then = Object.hasOwn(left.dirty, path) ? left.dirty[path] : undefined
    return was !== then || (was === undefined && committed.has(path))
  }
  return { clashing: paths.filter(byRun), apart: paths.filter(path => !byRun(path)) }
}
