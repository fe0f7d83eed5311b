import type { Env } from '../../core/ports.ts'
import type { Intent } from '../../core/table.ts'
import { startBranchTip } from '../end-snapshot.ts'
import { git } from '../git.ts'
import { pathKind } from '../path-kind.ts'
import type { Start } from '../start.ts'
import { entriesBetween, rawChanges } from '../tree-state.ts'

/** The paths in all commits since the start of a run, also those that a later commit removed again. */
export async function committedSince(start: Start, env: Env): Promise<string[]> {
  const tip = await startBranchTip(start, env)
  const range = ['HEAD', ...(tip ? [tip] : []), ...(start.head ? ['--not', start.head] : [])]
  const args = [
    'log',
    '--format=',
    '--name-only',
    '-z',
    '-m',
    '--no-renames',
    '--diff-filter=d',
    ...range,
    '--',
  ]
  const names = await git(start.root, env, args)
  return [...new Set((names ?? '').split('\0').map(name => name.replace(/^\n+/, '')))].filter(Boolean)
}

/** What is staged, by path: its mode and object. Those of a removed path are `0` and zeros. */
export async function stagedNow(root: string, env: Env): Promise<Map<string, string>> {
  const args = ['diff', '--cached', '--raw', '--no-abbrev', '--no-renames', '-z']
  const changes = rawChanges(((await git(root, env, args)) ?? '').split('\0'))
  return new Map(changes.map(({ path, after }) => [path, after]))
}

/** The paths in which a commit is not what was to be committed: hooks changed them. */
export async function changedByHooks(
  root: string,
  env: Env,
  { from, to }: { from: string | null; to: string },
  wanted: ReadonlyMap<string, string>,
): Promise<string[]> {
  // From the commit to its parent: an entry is as the commit has it.
  const made = new Map((await entriesBetween(root, env, to, from)).map(({ path, entry }) => [path, entry]))
  const paths = new Set([...wanted.keys(), ...made.keys()])
  return [...paths].filter(path => made.get(path) !== wanted.get(path)).sort()
}

/**
 * By which names git commits what is staged. It fails at the name of a file where a folder is now: what is committed in the
 * folder takes the file's place by itself. `left`: nothing is, so the removal of the file cannot be committed.
 */
export function namesToCommit(
  root: string,
  staged: ReadonlyMap<string, string>,
): { names: string[]; left: string[] } {
  const paths = [...staged.keys()]
  const isRemoved = (path: string) => staged.get(path)!.startsWith('000000 ')
  const folders = paths.filter(path => isRemoved(path) && pathKind(root, path) === 'folder')
  const left = folders.filter(
    folder => !paths.some(path => path.startsWith(`${folder}/`) && !isRemoved(path)),
  )
  return { names: paths.filter(path => !folders.includes(path)), left }
}

/** Whether this commit is the one that was intended. */
export async function isIntendedCommit(
  root: string,
  env: Env,
  head: string,
  intent: Intent,
): Promise<boolean> {
  const made = await git(root, env, ['log', '-1', '--format=%P%x00%B', head])
  const [parent, message] = made?.split('\0') ?? []
  return parent === (intent.parent ?? '') && message?.trim() === intent.message.trim()
}
