import { lstatSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { listPaths } from '../core/format.ts'
import type { Env } from '../core/ports.ts'
import { pinFolder } from '../store/files/pinned.ts'
import { AUTHOR, attempt, commitOf, gitBytes, isAncestor, mustGit } from './git.ts'
import { obstacleTo } from './path-kind.ts'
import type { Start } from './start.ts'
import { readStatus } from './status.ts'
import { changesBetween, checkOut, type TreeChange, writeTree } from './trees.ts'
import { remove } from './undo.ts'

/*
 * The outside half of the exchange between a project and a clone of it in a sandbox. Both sides have their own files, and
 * git carries them: a commit of everything is sent in a bundle, and what was done inside is fetched from the sandbox's
 * remote. `base` is the commit that both sides had last, so that what changed on each side is known.
 */

type Clone = { work: string; head: string | null; branch: string | null }
type Parcel = { commit: string; head: string; branch: string | null; bundle: string }

export type ExchangeOptions = {
  start: Start
  /** The name of the sandbox. Git knows the clone as the remote `sandbox-NAME`. */
  name: string
  /** Ignored files that are exchanged all the same, relative to the root. */
  exchanged: readonly string[]
  /** A folder of the run's own, for an index. */
  runDir: string
  env: Env
  /** Whether what is in the clone is this run's work. */
  isOwn: boolean
  warn(note: string): void
}

/** Where an error of the exchange comes from is said by its caller. */
export function openExchange(options: ExchangeOptions) {
  const { start, name, exchanged, warn } = options
  const { root } = start
  const env = { ...options.env, ...AUTHOR, GIT_TERMINAL_PROMPT: '0' }
  const refs = { base: refOf(name, 'base'), in: refOf(name, 'in'), work: refOf(name, 'work') }
  /** What the clone holds, as far as is known: a tree, HEAD and the branch. */
  let clone: { tree: string; head: string | null; branch: string | null } | null = null

  const run = (args: string[], more: Record<string, string> = {}) => mustGit(root, { ...env, ...more }, args)
  const withIndex = async <T>(act: (index: string) => Promise<T>): Promise<T> => {
    const index = join(options.runDir, 'sandbox-index')
    try {
      return await act(index)
    } finally {
      rmSync(index, { force: true })
    }
  }
  const treeOf = (commit: string) => run(['rev-parse', `${commit}^{tree}`])

  /** The project as it is now: its files, those that git ignores left out. */
  async function project() {
    const status = await readStatus(root, env, { start })
    if (!status) throw new Error('git does not say what changed')
    const { head, branch } = status
    if (head === null) throw new Error('the repository has no commit')
    const files = status.paths.filter(path => !path.endsWith('/'))
    const paths = [...files, ...exchanged.filter(path => isFile(join(root, path)))]
    const tree = await withIndex(index =>
      writeTree(start, env, index, { base: head, from: [{ folder: root, paths }], without: [] }),
    )
    return { tree, head, branch }
  }

  async function fetchWork({ work }: Clone): Promise<void> {
    const failure = await attempt(root, env, [
      '-c',
      'core.hooksPath=/dev/null',
      '-c',
      'fetch.fsckObjects=true',
      'fetch',
      '--quiet',
      '--no-tags',
      '--no-recurse-submodules',
      '--no-write-fetch-head',
      '--no-auto-maintenance',
      `sandbox-${name}`,
      `+refs/ralph/work:${refs.work}`,
    ])
    if (failure !== null) throw new Error(`git fetch sandbox-${name} failed: ${failure}`)
    if ((await commitOf(root, env, refs.work)) !== work)
      throw new Error(`git fetch sandbox-${name} brought something else`)
  }

  /** Keeps a commit where nothing overwrites it. */
  async function keep(commit: string): Promise<string> {
    const ref = `${refOf(name, 'kept')}/${commit.slice(0, 12)}`
    await run(['update-ref', ref, commit])
    return ref
  }

  async function agree(taken: Clone): Promise<void> {
    await run(['update-ref', refs.base, taken.work])
    clone = { tree: await treeOf(taken.work), head: taken.head, branch: taken.branch }
  }

  /** Makes the project's files follow what changed inside. What changed outside too stays as it is. */
  async function applyFiles(base: string, work: string): Promise<void> {
    const { tree: now } = await project()
    const outside = new Map((await changesBetween(root, env, base, now)).map(change => [change.path, change]))
    const wanted = (await changesBetween(root, env, base, work)).filter(
      ({ path, to }) => outside.get(path)?.to !== to,
    )
    const isOurs = ({ path, from }: TreeChange) =>
      !outside.has(path) &&
      (from !== '' || lstatSync(join(root, path), { throwIfNoEntry: false }) === undefined)
    const clashing = wanted.filter(change => !isOurs(change)).map(({ path }) => path)
    if (clashing.length > 0)
      warn(
        `changed here and inside the sandbox; yours stays, the other is kept as ${await keep(work)}: ${listPaths(clashing)}`,
      )
    const ours = wanted.filter(isOurs)
    const nested = ours.filter(({ isRepository }) => isRepository).map(({ path }) => path)
    if (nested.length > 0) warn(`repositories of their own, left inside the sandbox: ${listPaths(nested)}`)
    const removed = ours.flatMap(({ path, to }) => (to === '' ? [path] : []))
    const written = ours.flatMap(({ path, to, isRepository }) => (to === '' || isRepository ? [] : [path]))
    const obstacle = obstacleTo(root, removed, written)
    if (obstacle !== null) throw new Error(obstacle)
    const pinned = pinFolder(root)
    for (const path of removed) remove(pinned, path)
    if (written.length === 0) return
    await withIndex(index => checkOut(start, env, index, work, written))
  }

  /** Moves the branch on to the commits that were made inside, if they follow those of the project. */
  async function followHead({ head, branch }: Clone): Promise<void> {
    const here = await readStatus(root, env, { start })
    if (!here || here.head === null || head === here.head) return
    const follows = head !== null && branch === here.branch && (await isAncestor(root, env, here.head, head))
    // Only the index: the files are there already. What is staged stays, or git refuses.
    const failure = follows
      ? ((await attempt(root, env, ['read-tree', '-i', '-m', here.head, head])) ??
        (await attempt(root, env, [
          'update-ref',
          '-m',
          'ralph: fetched from the sandbox',
          'HEAD',
          head,
          here.head,
        ])))
      : `${branch ?? 'HEAD'} inside does not continue ${here.branch ?? 'HEAD'} here`
    if (failure === null || head === null) return
    // The agent may only be behind: the project has moved on since.
    if (await isAncestor(root, env, head, here.head)) return
    warn(`commits of the sandbox are kept as ${await keep(head)}, and no branch is moved: ${failure}`)
  }

  const receive = async (taken: Clone): Promise<void> => {
    await fetchWork(taken)
    const base = (await commitOf(root, env, refs.base)) ?? taken.head ?? taken.work
    await applyFiles(base, taken.work)
    await followHead(taken)
    await agree(taken)
  }

  return {
    async pack(): Promise<Parcel | null> {
      const now = await project()
      if (clone && now.tree === clone.tree && now.head === clone.head && now.branch === clone.branch)
        return null
      const commit = await run([
        'commit-tree',
        now.tree,
        '-p',
        now.head,
        '-m',
        'The project as it is outside',
      ])
      await run(['update-ref', refs.in, commit])
      const known = (await commitOf(root, env, refs.base)) ?? now.head
      const bundle = await gitBytes(root, env, ['bundle', 'create', '--quiet', '-', refs.in, '--not', known])
      if (bundle === null) throw new Error('git bundle failed')
      return { commit, head: now.head, branch: now.branch, bundle: bundle.toString('base64') }
    },
    sent: ({ commit, head, branch }: Parcel) => agree({ work: commit, head, branch }),
    receive,
    async adopt(taken: Clone): Promise<void> {
      if (options.isOwn && (await commitOf(root, env, refs.base)) !== null) return receive(taken)
      await fetchWork(taken)
      const base = (await commitOf(root, env, refs.base)) ?? taken.head
      if (base === null || (await treeOf(base)) !== (await treeOf(taken.work)))
        warn(`work of an earlier run was still inside the sandbox; it is kept as ${await keep(taken.work)}`)
      await agree(taken)
    },
    /** The sandbox is to be removed: only what was kept of it stays. */
    async forget(): Promise<void> {
      for (const ref of Object.values(refs)) await attempt(root, env, ['update-ref', '-d', ref])
    },
  }
}

const refOf = (name: string, what: string): string => `refs/ralph/sandbox/${name}/${what}`

const isFile = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false })?.isFile() ?? false
