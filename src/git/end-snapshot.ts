import { git } from './git.ts'
import type { Start } from './start.ts'
import { contentOf, readStatus } from './status.ts'

/** The repository when a run ended. Later differences were not made by the run. */
export type EndSnapshot = {
  head: string | null
  branch: string | null
  /** The tip of the branch that the run began on; null if it does not exist. */
  base: string | null
  dirty: Record<string, string>
}

export async function recordEnd(start: Start, env: Record<string, string>): Promise<EndSnapshot | null> {
  const status = await readStatus(start.root, env, start.root)
  if (!status) return null
  const { head, branch, paths } = status
  return {
    head,
    branch,
    base: branch === start.branch ? head : await startBranchTip(start, env),
    dirty: Object.fromEntries(paths.map(path => [path, contentOf(start.root, path)])),
  }
}

/** The tip of the branch that a run began on; null if it does not exist. */
export async function startBranchTip(
  { root, branch }: Start,
  env: Record<string, string>,
): Promise<string | null> {
  if (branch === null) return null
  return (await git(root, env, ['rev-parse', '--verify', '--quiet', `refs/heads/${branch}`]))?.trim() ?? null
}
