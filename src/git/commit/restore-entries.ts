import { rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Env } from '../../core/ports.ts'
import { isAncestor, mustGit } from '../git.ts'
import { readHead } from '../head.ts'
import { describeLocks } from '../locks/find.ts'
import { type LockWait, pastLocks } from '../locks/lasting.ts'
import type { Start } from '../start.ts'
import { entriesBetween } from '../tree-state.ts'

/** HEAD at one moment. */
export type Head = { commit: string | null; branch: string | null }

export type RestoreEntriesOptions = {
  start: Pick<Start, 'root' | 'dirs'>
  env: Env
  /** A private folder of ralph's, for an index of its own. */
  scratch: string
  /** How to wait for git's locks. */
  locks: LockWait
}

export type Restored =
  /** HEAD has the paths as they were. */
  | { type: 'nothing' }
  | { type: 'made'; from: string; to: string }
  | { type: 'failed'; paths: string[]; why: string }

/**
 * Commits these paths as they were in an earlier HEAD, if later commits changed them. Files stay as they are: somebody's
 * uncommitted changes of them are not committed. On another branch it does nothing, because they may differ there.
 */
export async function restoreEntries(
  { start: { root, dirs }, env, scratch, locks }: RestoreEntriesOptions,
  before: Head,
  paths: ReadonlySet<string>,
): Promise<Restored> {
  const head = readHead(dirs)
  if (!head?.commit || head.commit === before.commit) return { type: 'nothing' }
  const from = head.commit
  const changed = (await entriesBetween(root, env, before.commit, from)).filter(({ path }) => paths.has(path))
  if (changed.length === 0) return { type: 'nothing' }
  const { commit } = before
  if (head.branch !== before.branch && commit !== null && !(await isAncestor(root, env, commit, from)))
    return { type: 'nothing' }
  const names = changed.map(({ path }) => path)
  const entries = changed.map(({ entry, path }) => `${entry}\t${path}\0`).join('')
  const own = { ...env, GIT_INDEX_FILE: join(scratch, 'restore.index') }
  let to = ''
  const failed = await pastLocks(dirs, locks, async () => {
    try {
      await mustGit(root, own, ['read-tree', from])
      await mustGit(root, own, ['update-index', '-z', '--index-info'], entries)
      const tree = await mustGit(root, own, ['write-tree'])
      to = await mustGit(root, own, ['commit-tree', tree, '-p', from], messageFor(names))
      await mustGit(root, env, ['update-index', '-z', '--index-info'], entries)
      await mustGit(root, env, ['update-ref', '-m', 'commit: ralph: restore', 'HEAD', to, from])
      return null
    } catch (error) {
      return (error as Error).message
    } finally {
      rmSync(own.GIT_INDEX_FILE, { force: true })
    }
  })
  if (!failed) return { type: 'made', from, to }
  const why = failed.locks.length > 0 ? describeLocks(failed.locks, root) : failed.failure
  return { type: 'failed', paths: names, why }
}

/** A long subject is cut on most screens. */
const messageFor = (paths: readonly string[]): string =>
  paths.length === 1
    ? `ralph: restore ${paths[0]}\n`
    : `ralph: restore ${paths.length} protected files\n\n${paths.join('\n')}\n`
