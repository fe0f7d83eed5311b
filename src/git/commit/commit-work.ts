import { readTag } from '../../core/completion.ts'
import { listPaths } from '../../core/format.ts'
import type { Env } from '../../core/ports.ts'
import type { Intent, RunState, StepId } from '../../core/table.ts'
import { printable } from '../../core/visible.ts'
import { type Changes, changesSince } from '../changes.ts'
import { git, QUIET } from '../git.ts'
import { unhide } from '../hidden.ts'
import { hooksOf } from '../hooks.ts'
import { describeLocks } from '../locks/find.ts'
import { pastLocks } from '../locks/lasting.ts'
import type { CommittedStep, ScmState } from '../scm.ts'
import type { Start } from '../start.ts'
import { changedByHooks, isIntendedCommit, namesToCommit, stagedNow } from './committed.ts'

/** Not an error and not shown: without a commit there is nothing to push either. */
export const NOTHING = 'has nothing to do'
export const NO_MESSAGE = 'is aborted: the agent gave no commit message'

/** One commit: of what it is made, and how. */
type Commit = { scm: ScmState; start: Start; changes: Changes; id: StepId; words: readonly string[] }

/** Commits the run's work with git. Returns why it failed, or null. */
export async function commitWork(
  scm: ScmState,
  settled: CommittedStep,
  words: readonly string[],
  state: RunState,
): Promise<string | null> {
  const { start, env } = scm
  const { id } = settled
  if (!start) return 'is not possible: this is not a git repository'
  const changes = await changesSince(start, env)
  if (!changes) return 'is not possible: git does not answer'
  const intent = state.intents[id]
  if (intent?.made) return null
  if (intent && changes.head !== null && (await isIntendedCommit(start.root, env, changes.head, intent))) {
    recordCommit(scm, id, intent.parent, changes.head)
    return null
  }
  if (intent && changes.head !== intent.parent) return 'is left to you: HEAD has moved since it was intended'
  warnOfLeft(scm, changes)
  if (isNothing(changes.ours)) return changes.head === start.head ? NOTHING : null
  // What is committed before a merge was not checked, so it was not prepared.
  const intended = intent ?? (settled.tree === undefined ? await intend(scm, id, changes) : null)
  if (!intended) return NO_MESSAGE
  const unchecked = new Set(await scm.ports.unchecked(changes.ours, settled))
  if (unchecked.size > 0)
    scm.warn(
      `left uncommitted, because they changed while or after they were checked: ${[...unchecked].join(', ')}`,
    )
  const checked = changes.ours.filter(path => !unchecked.has(path))
  if (isNothing(checked)) return NOTHING
  const commit = { scm, start, changes, id, words }
  return (await showHidden(commit, unchecked)) ?? (await makeCommit(commit, checked, intended))
}

/** What the commit leaves out, and why. */
function warnOfLeft({ warn }: ScmState, changes: Changes): void {
  for (const [paths, why] of [
    [changes.mixed, 'they had changes of yours before the run'],
    [changes.repositories, 'they are repositories of their own'],
    [changes.ignored, 'git ignored them when the run began'],
    [changes.unlisted, 'the run took them out of git and had git ignore them'],
    [changes.submodules, 'files in these submodules changed, and only you can commit there'],
    [changes.unnameable, 'their names are not UTF-8'],
    [changes.special, 'they are neither files nor links'],
    [changes.flagged, 'they were marked assume-unchanged or skip-worktree before the run'],
  ] as const)
    if (paths.length > 0) warn(`left uncommitted, because ${why}: ${paths.join(', ')}`)
}

/** Lets git see the changes that the index hides from it. Returns why it failed, or null. */
async function showHidden(
  { scm, start, changes }: Commit,
  unchecked: ReadonlySet<string>,
): Promise<string | null> {
  const hidden = changes.hidden.filter(([path]) => !unchecked.has(path))
  if (hidden.length === 0) return null
  // A file that changed a moment ago may look unchanged to git too, and nobody hid it.
  const flagged = hidden.flatMap(([path, by]) => (typeof by === 'string' ? [path] : []))
  if (flagged.length > 0)
    scm.warn(
      `flags of the index hid these changes from git; they are committed like all others: ${listPaths(flagged)}`,
    )
  return whenUnlocked(scm, start, () =>
    unhide(start.root, scm.env, hidden).then(
      () => null,
      (error: Error) => `is not possible: ${error.message}`,
    ),
  )
}

async function makeCommit(commit: Commit, checked: string[], intended: Intent): Promise<string | null> {
  const { scm, start, changes, id } = commit
  const { failure, wanted } = await commitPaths(commit, checked, intended.message)
  const head = (await git(start.root, scm.env, ['rev-parse', 'HEAD']))?.trim() ?? ''
  // A git that was killed may have made it all the same.
  if (failure !== null && !(await isIntendedCommit(start.root, scm.env, head, intended))) return failure
  recordCommit(scm, id, changes.head, head)
  await compareCommit(scm, start, { from: changes.head, to: head }, wanted)
  return null
}

/** Commits only these paths, even if the user has staged others. */
async function commitPaths(
  { scm, start, id, words }: Commit,
  paths: string[],
  message: string,
): Promise<{ failure: string | null; wanted: ReadonlyMap<string, string> }> {
  const base = [
    scm.program,
    ...QUIET,
    '-C',
    start.root,
    '--literal-pathspecs',
    ...(await optionsForHooks(scm)),
  ]
  const run = (argv: string[], lines: readonly string[], log: string) =>
    whenUnlocked(scm, start, () => scm.ports.run(argv, id, lines.join('\0'), log))
  const added = await run([...base, 'add', '--all', ...LISTED], paths, 'add')
  if (added !== null) return { failure: added, wanted: new Map() }
  // git refuses to commit a path by name that was staged and then removed: it is in neither tree.
  const staged = await stagedNow(start.root, scm.env)
  const ours = new Set(paths)
  const wanted = new Map([...staged].filter(([path]) => ours.has(path)))
  const { names, left } = namesToCommit(start.root, wanted)
  for (const path of left) wanted.delete(path)
  if (left.length > 0) scm.warn(`left uncommitted, because a folder is in their place: ${left.join(', ')}`)
  if (names.length === 0) return { failure: NOTHING, wanted }
  // A message may look like a comment of git's.
  const argv = [...base, 'commit', '--only', '--cleanup=whitespace', ...words, '-m', message, ...LISTED]
  return { failure: await run(argv, names, 'commit'), wanted }
}

/** Hooks may change what is committed, as a formatter does: nobody has checked that. */
async function compareCommit(
  scm: ScmState,
  { root }: Start,
  commits: { from: string | null; to: string },
  wanted: ReadonlyMap<string, string>,
): Promise<void> {
  const paths = await changedByHooks(root, scm.env, commits, wanted)
  if (paths.length === 0) return
  scm.hooked = `is not what was checked, because hooks changed ${listPaths(paths)}`
  // Git leaves what was to be committed in the index: the next commit of the user's would bring it back.
  await git(root, scm.env, [...NO_HOOKS, '--literal-pathspecs', 'reset', '-q', ...LISTED], paths.join('\0'))
}

/** Hooks do not run if they changed during the run. */
export async function optionsForHooks(scm: ScmState): Promise<readonly string[]> {
  const { start, env } = scm
  if (!scm.isGit || !start) return []
  if (scm.noHooks) return NO_HOOKS
  if ((await hooksOf(start.root, env)) === start.hooks) return []
  if (!scm.saidHooks) scm.warn('the git hooks were changed during the run, so they are not run')
  scm.saidHooks = true
  return NO_HOOKS
}

/** Acts on the repository as soon as no lock of another git is in the way. Returns why it failed, or null. */
async function whenUnlocked(
  { ports }: ScmState,
  { dirs, root }: Start,
  act: () => Promise<string | null>,
): Promise<string | null> {
  const failed = await pastLocks(dirs, ports.locks(), act)
  return failed && failed.locks.length > 0
    ? `is not possible: ${describeLocks(failed.locks, root)}`
    : (failed?.failure ?? null)
}

function recordCommit({ ports }: ScmState, id: StepId, from: string | null, to: string): void {
  ports.record({ type: 'committed', at: ports.now(), id, by: 'ralph', from, to })
}

/** Ralph's own file is committed with others, but is not a reason for a commit. */
export const isNothing = (paths: readonly string[]) => paths.every(path => path.endsWith('.ralph/.gitignore'))

/** Paths come on standard input. */
const LISTED = ['--pathspec-from-file=-', '--pathspec-file-nul']

const NO_HOOKS = ['-c', 'core.hooksPath=/dev/null']

/** The exact prompt for the agent before each commit. */
export const MESSAGE_PROMPT =
  'Provide a short imperative commit message for the changes. Output only the message, no explanation.'

const MOST_PATHS = 200
const LONGEST_CHANGES = 50_000

/** Journals the commit before it is made. Returns null if there is no message. */
export async function intend(
  { start, env, ports }: ScmState,
  id: StepId,
  changes: Changes | null,
  known?: Intent,
): Promise<Intent | null> {
  const parent = changes?.head ?? null
  if (known?.parent === parent) return known
  const describe = async () => (changes && start ? describeChanges(start.root, env, changes) : '')
  const message = known?.message ?? commitMessage(await ports.ask(id, await describe()))
  if (message === null) return null
  ports.record({ type: 'committing', at: ports.now(), id, parent, message })
  return { parent, message }
}

/** For an agent without tools. Nothing that the repository configures runs. */
async function describeChanges(root: string, env: Env, { head, ours }: Changes): Promise<string> {
  const paths = ours.slice(0, MOST_PATHS)
  const plain = ['--no-ext-diff', '--no-textconv', '--no-color']
  const diff =
    head === null ? '' : await git(root, env, ['--literal-pathspecs', 'diff', ...plain, head, '--', ...paths])
  return `Changed files:\n${paths.join('\n')}\n\n${diff ?? ''}`.slice(0, LONGEST_CHANGES)
}

/** The message in an agent's answer: the content of `<response>`, or else the first line with text. Git shows it on
 * terminals as it is. */
function commitMessage(answer: string): string | null {
  const tagged = readTag(answer, 'response')
  if (tagged) return printable(tagged)
  const line = answer.split('\n').find(l => l.trim() !== '' && !l.trim().startsWith('```'))
  return line === undefined ? null : printable(line.trim())
}
