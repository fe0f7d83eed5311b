import { join } from 'node:path'
import type { Env } from '../core/ports.ts'
import { currentTree, isRalphsOwn, treeAtEnd, treeAtStart } from '../git/compare.ts'
import { mustGit, QUIET } from '../git/git.ts'
import { readStatus } from '../git/status.ts'
import { openScratch, writeTree } from '../git/trees.ts'
import { plainLine } from '../view/text/plain.ts'
import type { Io, Writer } from './io.ts'
import { isLive } from './live.ts'
import { chooseRun, type PastRun, pastRun } from './past-run.ts'

export type DiffOptions = { projectDir?: string; stat?: boolean; nameOnly?: boolean }

export type GitCall = { args: string[]; cwd: string; env: Env }

/**
 * Shows what a run changed, committed or not. Of files that were dirty before, only what is different now. `runGit` runs
 * git, which prints the diff, and returns its exit code.
 */
export async function diffRun(
  name: string | undefined,
  options: DiffOptions,
  io: Io,
  runGit: (call: GitCall) => Promise<number>,
): Promise<number> {
  const past = pastRun(chooseRun(name, options.projectDir, io.env), io.env)
  const { start, env } = past
  const scratch = openScratch(start, past.run.dir, env)
  try {
    const before = treeAtStart(start, past.run.dir)
    const from = await writeTree(start, scratch.env, join(scratch.folder, 'from'), before.tree)
    const after = await endTree(past)
    const own = await ownPaths(past, scratch.env, after.tree.base)
    const tree = { ...after.tree, without: [...after.tree.without, ...own] }
    const to = await writeTree(start, scratch.env, join(scratch.folder, 'to'), tree)
    warn(
      io.stderr,
      'had uncommitted changes before the run, was not copied, and differs now, so it is not shown',
      before.unknown,
    )
    warn(io.stderr, 'changed since the run ended, so it is shown as it is now', after.changed)
    const form = [...(options.stat ? ['--stat'] : []), ...(options.nameOnly ? ['--name-only'] : [])]
    const args = [...QUIET, 'diff', ...form, from, to]
    return await runGit({ args, cwd: start.root, env: scratch.env })
  } finally {
    scratch.close()
  }
}

/** The tree as the run left it, or as it is now if the run is at work or crashed. */
async function endTree({ run, start, left, env }: PastRun): Promise<ReturnType<typeof treeAtEnd>> {
  if (left && !isLive(run)) return treeAtEnd(start, left)
  const status = await readStatus(start.root, env, { start })
  return { tree: currentTree(start, status ?? { head: start.head, paths: [] }), changed: [] }
}

/** Ralph's own files that were committed during the run. */
async function ownPaths({ start }: PastRun, env: Env, base: string | null): Promise<string[]> {
  const list = async (commit: string | null) => {
    if (commit === null) return []
    const args = ['ls-tree', '-r', '-z', '--name-only', '--full-tree', commit, '.ralph']
    return (await mustGit(start.root, env, args)).split('\0').filter(isRalphsOwn)
  }
  const before = new Set([...(await list(start.head)), ...Object.keys(start.dirty)])
  return (await list(base)).filter(path => !before.has(path))
}

function warn(stderr: Writer, what: string, paths: string[]): void {
  if (paths.length > 0) stderr.write(`ralph: warning: ${what}: ${plainLine(paths.join(', '), 500)}\n`)
}
