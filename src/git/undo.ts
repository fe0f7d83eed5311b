import {
  chmodSync,
  copyFileSync,
  lstatSync,
  readlinkSync,
  renameSync,
  rmdirSync,
  rmSync,
  symlinkSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import type { Env } from '../core/ports.ts'
import { UsageError } from '../core/usage-error.ts'
import { actWithin, isPinned, type PinnedFolder } from '../store/files/pinned.ts'
import { AUTHOR, git, mustGit } from './git.ts'
import { readIndex, restoreFlags, unhide } from './hidden.ts'
import { keptFolder } from './kept-files.ts'
import { obstacleTo } from './path-kind.ts'
import { repositoryEnv } from './trees.ts'
import { startIndex, type UndoContext, type UndoPlan } from './undo-plan.ts'

/**
 * Saves everything as it is now in a commit on no branch. Returns the ref that keeps it. What is staged is a parent of it.
 */
export async function save(
  { start, env }: UndoContext,
  { now, tree }: UndoPlan,
  run: string,
): Promise<string> {
  const commit = (content: string, parents: string[], message: string) =>
    mustGit(start.root, { ...env, ...AUTHOR }, [
      'commit-tree',
      content,
      ...parents.flatMap(parent => ['-p', parent]),
      '-m',
      message,
    ])
  const parents = now.head === null ? [] : [now.head]
  const staged = (await git(start.root, env, ['write-tree']))?.trim()
  if (staged && staged !== tree) parents.push(await commit(staged, parents, 'What was staged'))
  const saved = await commit(tree, parents, `Before the undo of ralph run ${run}`)
  const taken = await mustGit(start.root, env, ['for-each-ref', '--format=%(refname)', `refs/ralph/${run}`])
  const ref = `refs/ralph/${run}/${taken.split('\n').filter(Boolean).length + 1}`
  await mustGit(start.root, env, ['update-ref', ref, saved])
  return ref
}

/** Restores files, then refs, then the index. Each part can be repeated: after a crash, make a new plan and run it. */
export async function applyUndo(undoing: UndoContext, plan: UndoPlan, run: string): Promise<void> {
  const { start, root, runDir, scratch } = undoing
  for (const path of plan.remove) remove(root, path)
  // Git follows no link on the way, but it would remove one.
  const obstacle = obstacleTo(start.root, [], [...plan.restore, ...plan.refill])
  if (obstacle || !isPinned(root))
    throw new UsageError(
      `${obstacle ?? `${start.root} was moved or replaced`}; then finish with: ralph undo ${run}`,
    )
  if (plan.restore.length > 0)
    await mustGit(
      start.root,
      { ...scratch.env, ...repositoryEnv(start, start.root, startIndex(scratch)) },
      ['checkout-index', '--force', '-z', '--stdin'],
      plan.restore.join('\0'),
    )
  for (const path of plan.refill) refill(keptFolder(runDir), root, path)
  await moveHead(undoing, plan, run)
  await resetIndex(undoing)
}

/** Removes a file, and the folders that are empty after that. */
export function remove(root: PinnedFolder, path: string): void {
  try {
    actWithin(root, path, entry => rmSync(entry, { force: true }))
    for (let above = dirname(path); above !== '.'; above = dirname(above)) actWithin(root, above, rmdirSync)
  } catch (error) {
    // Behind a link, or without its folder, it is gone already; and the first folder that is not empty stays.
    if (!isPinned(root)) throw error
  }
}

function refill(from: string, root: PinnedFolder, path: string): void {
  const kept = join(from, path)
  const act = (to: string) => {
    const aside = join(dirname(to), '.ralph-undo.tmp')
    rmSync(aside, { force: true })
    const { mode } = lstatSync(kept)
    if (lstatSync(kept).isSymbolicLink()) symlinkSync(readlinkSync(kept), aside)
    else {
      copyFileSync(kept, aside)
      chmodSync(aside, mode & 0o777)
    }
    if (lstatSync(to, { throwIfNoEntry: false })?.isDirectory()) rmdirSync(to)
    renameSync(aside, to)
  }
  actWithin(root, path, act, { make: true })
}

async function moveHead({ start, env }: UndoContext, { now, tip }: UndoPlan, run: string): Promise<void> {
  const update = ['update-ref', '-m', `ralph: undo of run ${run}`]
  const move = (args: string[]) => mustGit(start.root, env, [...update, ...args])
  if (start.branch === null) {
    if (start.head !== null && (now.branch !== null || now.head !== start.head))
      await move(['--no-deref', 'HEAD', start.head])
    return
  }
  const ref = `refs/heads/${start.branch}`
  if (start.head === null) {
    if (tip !== null) await move(['-d', ref, tip])
  } else if (tip !== start.head) await move([ref, start.head, tip ?? '0'.repeat(start.head.length)])
  if (now.branch !== start.branch) await mustGit(start.root, env, ['symbolic-ref', 'HEAD', ref])
}

/** Restores the index: the commit, and what was staged on top of it. */
async function resetIndex({ start, env }: UndoContext): Promise<void> {
  const base = start.head === null ? ['--empty'] : ['--reset', start.head]
  // Git refuses to reset a marked path that changed, and believes what the index says of others.
  const index = await readIndex({ root: start.root, gitDir: start.dirs.own, env, since: start.at })
  if (index) await unhide(start.root, env, [...index.flags, ...index.matching, ...index.differing])
  await mustGit(start.root, env, ['read-tree', ...base])
  const staged = Object.entries(start.staged)
  const missing = await missingObjects(
    start.root,
    env,
    staged.map(([, { object }]) => object),
  )
  const lines = staged
    .filter(([, { mode, object }]) => mode === '0' || !missing.has(object))
    .map(([path, { mode, object }]) => `${mode} ${object}\t${path}\0`)
  if (lines.length > 0) await mustGit(start.root, env, ['update-index', '-z', '--index-info'], lines.join(''))
  await restoreFlags(start, env)
  // This fails if something is dirty, which is fine here.
  await git(start.root, env, ['update-index', '-q', '--refresh'])
}

/** git may have deleted objects that nothing referred to. */
async function missingObjects(root: string, env: Env, objects: string[]): Promise<Set<string>> {
  if (objects.length === 0) return new Set()
  const found = (await git(root, env, ['cat-file', '--batch-check'], `${objects.join('\n')}\n`)) ?? ''
  return new Set(
    found.split('\n').flatMap(line => (line.endsWith(' missing') ? [line.split(' ', 1)[0]!] : [])),
  )
}
