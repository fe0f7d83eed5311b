import {
  chmodSync,
  copyFileSync,
  lstatSync,
  mkdirSync,
  readlinkSync,
  renameSync,
  rmdirSync,
  rmSync,
  symlinkSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { git, mustGit } from './git.ts'
import { keptFolder } from './kept-files.ts'
import { repositoryEnv } from './trees.ts'
import { startIndex, type UndoContext, type UndoPlan } from './undo-plan.ts'

/** The author of the commit that saves what an undo removes. */
const AUTHOR = {
  GIT_AUTHOR_NAME: 'ralph',
  GIT_AUTHOR_EMAIL: 'ralph@localhost',
  GIT_COMMITTER_NAME: 'ralph',
  GIT_COMMITTER_EMAIL: 'ralph@localhost',
}

/** Saves everything as it is now in a commit on no branch; returns the ref that keeps it. */
export async function save(
  { start, env }: UndoContext,
  { now, tree }: UndoPlan,
  run: string,
): Promise<string> {
  const parent = now.head === null ? [] : ['-p', now.head]
  const message = `Before the undo of ralph run ${run}`
  const saved = await mustGit(start.root, { ...env, ...AUTHOR }, [
    'commit-tree',
    tree,
    ...parent,
    '-m',
    message,
  ])
  const taken = await mustGit(start.root, env, ['for-each-ref', '--format=%(refname)', `refs/ralph/${run}`])
  const ref = `refs/ralph/${run}/${taken.split('\n').filter(Boolean).length + 1}`
  await mustGit(start.root, env, ['update-ref', ref, saved])
  return ref
}

/** Restores files, then refs, then the index. Each part can be repeated: after a crash, make a new plan and run it. */
export async function undo(undoing: UndoContext, plan: UndoPlan, run: string): Promise<void> {
  const { start, runDir, scratch } = undoing
  for (const path of plan.remove) remove(start.root, path)
  if (plan.restore.length > 0)
    await mustGit(
      start.root,
      { ...scratch.env, ...repositoryEnv(start, start.root, startIndex(scratch)) },
      ['checkout-index', '--force', '-z', '--stdin'],
      plan.restore.join('\0'),
    )
  for (const path of plan.refill) refill(keptFolder(runDir), start.root, path)
  await moveHead(undoing, plan, run)
  await resetIndex(undoing)
}

/** Removes a file, and the folders that are empty after that. */
function remove(root: string, path: string): void {
  rmSync(join(root, path), { force: true })
  try {
    for (let above = dirname(path); above !== '.'; above = dirname(above)) rmdirSync(join(root, above))
  } catch {
    // The first folder that is not empty stays.
  }
}

function refill(from: string, root: string, path: string): void {
  const kept = join(from, path)
  const to = join(root, path)
  const aside = join(dirname(to), '.ralph-undo.tmp')
  mkdirSync(dirname(to), { recursive: true })
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
  await mustGit(start.root, env, ['read-tree', ...base])
  const staged = Object.entries(start.staged ?? {})
  const missing = await missingObjects(
    start.root,
    env,
    staged.map(([, { object }]) => object),
  )
  const lines = staged
    .filter(([, { mode, object }]) => mode === '0' || !missing.has(object))
    .map(([path, { mode, object }]) => `${mode} ${object}\t${path}\0`)
  if (lines.length > 0) await mustGit(start.root, env, ['update-index', '-z', '--index-info'], lines.join(''))
  // This fails if something is dirty, which is fine here.
  await git(start.root, env, ['update-index', '-q', '--refresh'])
}

/** git may have deleted objects that nothing referred to. */
async function missingObjects(
  root: string,
  env: Record<string, string>,
  objects: string[],
): Promise<Set<string>> {
  if (objects.length === 0) return new Set()
  const found = (await git(root, env, ['cat-file', '--batch-check'], `${objects.join('\n')}\n`)) ?? ''
  return new Set(
    found.split('\n').flatMap(line => (line.endsWith(' missing') ? [line.split(' ', 1)[0]!] : [])),
  )
}
