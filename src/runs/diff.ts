import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { asItIs, asLeft, atStart, isRalphsOwn } from '../git/compare.ts'
import { mustGit, QUIET } from '../git/git.ts'
import { readStatus } from '../git/status.ts'
import { openScratch, writeTree } from '../git/trees.ts'
import { plainLine } from '../view/plain.ts'
import { chooseRun, type PastRun, pastRun } from './past-run.ts'
import { isLive } from './steer.ts'

export type DiffOptions = { projectDir: string; stat?: boolean; nameOnly?: boolean }

/** Shows what a run changed: committed or not, and of what was dirty before only what is different now. */
export async function diffRun(name: string | undefined, options: DiffOptions): Promise<number> {
  const past = pastRun(chooseRun(name, options.projectDir, process.env))
  const { start, env } = past
  const scratch = openScratch(start, past.run.dir, env)
  // Ctrl+C is for the pager.
  const stay = () => {}
  process.on('SIGINT', stay)
  try {
    const before = atStart(start, past.run.dir)
    const from = await writeTree(start, scratch.env, join(scratch.folder, 'from'), before.tree)
    const after = await endOf(past)
    const own = await ownPaths(past, scratch.env, after.tree.base)
    const tree = { ...after.tree, without: [...after.tree.without, ...own] }
    const to = await writeTree(start, scratch.env, join(scratch.folder, 'to'), tree)
    note('was dirty before the run, was not kept, and is different now, so it is not shown', before.unknown)
    note('changed since the run ended, so it is shown as it is now', after.changed)
    const form = [...(options.stat ? ['--stat'] : []), ...(options.nameOnly ? ['--name-only'] : [])]
    return await show(start.root, scratch.env, ['diff', ...form, from, to])
  } finally {
    process.off('SIGINT', stay)
    scratch.close()
  }
}

/** The tree as the run left it; where it is at work, or was cut off, as it is now. */
async function endOf({ run, start, left, env }: PastRun): Promise<ReturnType<typeof asLeft>> {
  if (left && !isLive(run)) return asLeft(start, left)
  const status = await readStatus(start.root, env, start.root)
  return { tree: asItIs(start, status ?? { head: start.head, paths: [] }), changed: [] }
}

/** Ralph's own files that were committed with the work. */
async function ownPaths(
  { start }: PastRun,
  env: Record<string, string>,
  base: string | null,
): Promise<string[]> {
  const list = async (commit: string | null) =>
    commit === null
      ? []
      : (
          await mustGit(start.root, env, [
            'ls-tree',
            '-r',
            '-z',
            '--name-only',
            '--full-tree',
            commit,
            '.ralph',
          ])
        )
          .split('\0')
          .filter(isRalphsOwn)
  const before = new Set([...(await list(start.head)), ...Object.keys(start.dirty)])
  return (await list(base)).filter(path => !before.has(path))
}

/** git shows it, on a terminal with the user's own colours and pager. */
function show(cwd: string, env: Record<string, string>, args: string[]): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = spawn('git', [...QUIET, ...args], { cwd, env, stdio: 'inherit' })
    child.on('error', reject)
    child.on('close', code => resolve(code === 0 ? 0 : 1))
  })
}

function note(what: string, paths: string[]): void {
  if (paths.length > 0) process.stderr.write(`ralph: warning: ${what}: ${plainLine(paths.join(', '), 500)}\n`)
}
