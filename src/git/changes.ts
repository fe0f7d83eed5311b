import type { Start } from './start.ts'
import { contentOf, readStatus } from './status.ts'

export type Changes = {
  head: string | null
  /** Changed by the run alone: these may be committed. */
  ours: string[]
  /** Dirty at the start and changed again: whose change is whose cannot be told, so they are left. */
  mixed: string[]
}

/** What the run changed and nobody committed yet. */
export async function changesSince(start: Start, env: Record<string, string>): Promise<Changes | null> {
  const status = await readStatus(start.root, env)
  if (!status) return null
  const ours: string[] = []
  const mixed: string[] = []
  for (const path of status.paths) {
    const before = Object.hasOwn(start.dirty, path) ? start.dirty[path] : undefined
    if (before === undefined) ours.push(path)
    else if (before !== contentOf(start.root, path)) mixed.push(path)
  }
  return { head: status.head, ours, mixed }
}
