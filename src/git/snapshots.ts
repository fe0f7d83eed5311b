import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Env } from '../core/ports.ts'
import { pinFolder } from '../store/files/pinned.ts'
import { currentTree, treeAtStart } from './compare.ts'
import { git, mustGit } from './git.ts'
import { obstacleTo } from './path-kind.ts'
import type { Start } from './start.ts'
import { readStatus } from './status.ts'
import { isInRalphFolder } from './tree-state.ts'
import { changesBetween, checkOut, objectsEnv, writeTree } from './trees.ts'
import { remove } from './undo.ts'

/** Trees of a run, to compare the work with later. Their objects are in the run's folder, not in the repository. */
export interface Snapshots {
  /** The tree as it is now. */
  take(): Promise<string>
  /** The tree as it was when the run began. */
  atStart(): Promise<string>
  /** What changed from one tree to another, without ralph's own files. */
  diff(from: string, to: string): Promise<string>
  /** Makes the files as they were in a tree. Returns those that were not, or why that cannot be done. */
  putBack(tree: string): Promise<{ paths: string[]; obstacle: string | null }>
  /** Whether a file of a tree has this text in one line. */
  contains(tree: string, text: string): Promise<boolean>
}

/** Ralph's own files are no part of the work. */
const NOT_RALPHS = ['--', '.', ':(exclude,top,glob)**/.ralph/**']

/** The same form of a diff whatever git is configured to. */
const DIFF = [
  'diff',
  '--no-color',
  '--no-ext-diff',
  '--no-textconv',
  '--find-renames',
  '--src-prefix=a/',
  '--dst-prefix=b/',
]

/** Workspaces side by side share the folder, so no two indexes of a process have the same name. */
let indexes = 0

export function openSnapshots(start: Start, runDir: string, env: Env): Snapshots {
  const folder = join(runDir, 'snapshots')
  const own = { ...env, ...objectsEnv(start, join(folder, 'objects')) }
  const withIndex = async <T>(act: (index: string) => Promise<T>): Promise<T> => {
    mkdirSync(join(folder, 'objects'), { recursive: true, mode: 0o700 })
    const index = join(folder, `index-${process.pid}-${++indexes}`)
    try {
      return await act(index)
    } finally {
      rmSync(index, { force: true })
    }
  }
  let first: Promise<string> | null = null
  const take = () =>
    withIndex(async index => {
      const status = await readStatus(start.root, env, { start })
      if (!status) throw new Error('git does not say what changed')
      // What ralph writes itself, the status of a task for instance, is no change of the work.
      const paths = status.paths.filter(path => !isInRalphFolder(path))
      return writeTree(start, own, index, currentTree(start, { ...status, paths }))
    })
  return {
    take,
    async putBack(tree) {
      const all = await changesBetween(start.root, own, tree, await take())
      const changed = all.filter(({ path }) => !isInRalphFolder(path))
      const paths = changed.map(({ path }) => path)
      const root = pinFolder(start.root)
      for (const { path, from } of changed) if (from === '') remove(root, path)
      const restore = changed.flatMap(({ path, from }) => (from === '' ? [] : [path]))
      const obstacle = obstacleTo(start.root, [], restore)
      if (obstacle === null && restore.length > 0)
        await withIndex(index => checkOut(start, own, index, tree, restore))
      return { paths, obstacle }
    },
    atStart() {
      first ??= withIndex(index => writeTree(start, own, index, treeAtStart(start, runDir).tree))
      return first
    },
    diff: (from, to) => mustGit(start.root, own, [...DIFF, from, to, ...NOT_RALPHS]),
    async contains(tree, text) {
      const found = await git(start.root, own, [
        'grep',
        '--no-color',
        '-F',
        '-l',
        '-m',
        '1',
        '-e',
        text,
        tree,
      ])
      return found !== null && found !== ''
    },
  }
}
