import { git } from './git.ts'
import type { Start } from './start.ts'
import { contentOf, readStatus } from './status.ts'

/** The repository as a run left it: what differs later is somebody else's. */
export type Left = {
  head: string | null
  branch: string | null
  /** Where the branch was that the run began on; null if there is none. */
  base: string | null
  dirty: Record<string, string>
}

export async function recordLeft(start: Start, env: Record<string, string>): Promise<Left | null> {
  const status = await readStatus(start.root, env, start.root)
  if (!status) return null
  const { head, branch, paths } = status
  return {
    head,
    branch,
    base: branch === start.branch ? head : await tipOf(start, env),
    dirty: Object.fromEntries(paths.map(path => [path, contentOf(start.root, path)])),
  }
}

/** Where the branch is that a run began on. */
export async function tipOf({ root, branch }: Start, env: Record<string, string>): Promise<string | null> {
  if (branch === null) return null
  return (await git(root, env, ['rev-parse', '--verify', '--quiet', `refs/heads/${branch}`]))?.trim() ?? null
}
