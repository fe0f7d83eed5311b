import type { Start } from './start.ts'
import { contentOf, readStatus } from './status.ts'

export type Changes = {
  head: string | null
  /** Changed only by the run: these may be committed. */
  ours: string[]
  /** Dirty at the start and changed again. The user's changes cannot be told from the run's, so they are not committed. */
  mixed: string[]
  /** New repositories in the work tree. Committing one would make git enter it, and obey its configuration. */
  repositories: string[]
}

/** What the run changed and nobody has committed yet. */
export async function changesSince(start: Start, env: Record<string, string>): Promise<Changes | null> {
  const status = await readStatus(start.root, env)
  if (!status) return null
  const ours: string[] = []
  const mixed: string[] = []
  const repositories: string[] = []
  for (const path of status.paths) {
    const before = Object.hasOwn(start.dirty, path) ? start.dirty[path] : undefined
    // Only a new repository is shown as a folder; of others, git shows the files.
    if (before === undefined) (path.endsWith('/') ? repositories : ours).push(path)
    else if (before !== contentOf(start.root, path)) mixed.push(path)
  }
  return { head: status.head, ours, mixed, repositories }
}
