import { git } from '../../git/git.ts'

/**
 * Writes a file of ralph's own and commits it, if it was clean before: what others left uncommitted is not ralph's to
 * commit. A commit that fails leaves the file uncommitted, for the next agent to commit with its own work.
 */
export async function commitWritten(
  root: string,
  env: Record<string, string>,
  path: string,
  message: string,
  write: () => boolean,
): Promise<{ from: string | null; to: string } | null> {
  const before = await git(root, env, ['status', '--porcelain', '--', path])
  if (!write() || before !== '') return null
  const from = (await git(root, env, ['rev-parse', '--verify', '--quiet', 'HEAD']))?.trim() || null
  // Only this path, and without hooks: nobody else's work is touched or judged by it.
  const done = await git(root, env, ['commit', '--quiet', '--no-verify', '--only', '-m', message, '--', path])
  const to = done === null ? undefined : (await git(root, env, ['rev-parse', 'HEAD']))?.trim()
  return to ? { from, to } : null
}
