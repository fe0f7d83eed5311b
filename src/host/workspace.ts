import { relative } from 'node:path'
import type { AskJudge } from '../checks/judge/judge.ts'
import type { Finding, RunEvent, Settled } from '../core/events.ts'
import { CannotGoOn, type Clock } from '../core/ports.ts'
import type { RunState, Step, StepId } from '../core/table.ts'
import type { Workspace } from '../core/workspaces.ts'
import { folderTester } from '../git/locks/find.ts'
import { type LockRemoval, type LockWait, lastingLocks } from '../git/locks/lasting.ts'
import type { ScmStep } from '../git/scm.ts'
import { openSnapshots, type Snapshots } from '../git/snapshots.ts'
import { type Start, treeStateAtStart } from '../git/start.ts'
import { type FileWatch, watchFiles } from '../git/watch-files.ts'
import { watchHead } from '../git/watch-head.ts'
import type { Protection, SharedFiles } from '../protect/protection.ts'
import type { RunRunner } from '../runners/index.ts'
import { watchLockOwners } from '../runners/process/proc.ts'
import { lossOf } from '../store/files/inside.ts'
import { isPinned, type PinnedFolder, pinFolder } from '../store/files/pinned.ts'
import type { Session } from '../store/session.ts'
import type { RunSpec } from '../workflows/spec.ts'
import type { Recorder, Workflow } from '../workflows/workflow.ts'
import type { AskAgent } from './agents/ask.ts'
import {
  composeChecks,
  composeDoubts,
  criteriaChecks,
  type Judging,
  judgedWork,
  judgeTools,
  type ProtectedFiles,
} from './checks.ts'
import { composeProtection, keepInHead } from './protection.ts'
import { composeScm, type ScmOptions } from './scm.ts'

/** A workspace as the host has it. */
export interface HostedWorkspace extends Workspace {
  /** Its repository as the run found it. Null outside one. */
  start: Start | null
  /** Throws if the folder is gone, or was replaced by another. */
  needFolder(): void
  /** How to wait for git's locks here; those that the run left since then are removed. */
  locks(since?: number): LockWait
  /** Commits everything here that the run changed. Returns why it failed, or null. */
  commitAll(step: Step, message: string, state: RunState): Promise<string | null>
  /** Pushes, if the settings say so. */
  share(id: StepId): Promise<void>
  /** Before the workflow's files follow what was settled: notes the agent's own commits. Safe to repeat. */
  beforeApply(settled: Settled, state: RunState): Promise<void>
  /** After that: makes git follow. Safe to repeat. */
  commit(settled: Settled, state: RunState): Promise<void>
}

export type WorkspaceOptions = {
  workflow: Workflow
  /** With the folder as its project, and the repository as it was found there. */
  spec: RunSpec
  runner: RunRunner
  session: Session
  runDir: string
  /** The name of the file in the run's folder that keeps the state of its protected files. */
  protectedName: string
  /** A share in the protection of git's common folder, which belongs to the run. */
  shareGit(start: Start | null): SharedFiles | null
  /** For git and the checks. */
  env: Record<string, string>
  ask: AskAgent
  askJudge: AskJudge
  clock: Clock
  record(event: RunEvent): void
  hard: AbortSignal
  /** Where HEAD was when the run last worked here. */
  lastCommit: string | null
  /** Where it was before the steps that are not applied yet. */
  commitBefore: string | null
  /** Nothing was done here yet: the tree is as the spec says. */
  isFresh: boolean
}

const now = () => Date.now()

/** The folder of a workspace, and what is known about the step that holds it. */
type Folder = {
  options: WorkspaceOptions
  root: PinnedFolder
  /** Follows HEAD. Null outside a repository. */
  head: ReturnType<typeof watchHead> | null
  files: FileWatch
  protect: Protection
  snapshots: Snapshots | null
  /** When the step began that holds it, or, if a crash hid that, when it was settled. */
  since: number
  /** Resolves once protected files were noted for the first checks. */
  taken: Promise<void>
  /** The restoring of protected files that was asked for last. */
  restoring: Promise<unknown>
}

function openFolder(options: WorkspaceOptions): Folder {
  const { spec, env, record } = options
  const { project, start } = spec
  const atStart = start && treeStateAtStart(start)
  const known = options.isFresh ? atStart : null
  return {
    options,
    root: pinFolder(project),
    head: start && watchHead(start, options.lastCommit ?? start.head, record, now),
    files: watchFiles(project, { repository: start, known, start: atStart }, env, record, now),
    protect: composeProtection({
      spec,
      more: options.workflow.protectedAreas(spec),
      name: options.protectedName,
      runDir: options.runDir,
      env,
      shared: options.shareGit(start),
    }),
    snapshots: start && openSnapshots(start, options.runDir, env),
    since: Number.POSITIVE_INFINITY,
    taken: Promise.resolve(),
    restoring: Promise.resolve(),
  }
}

/** Opens one folder. `openWorkspaces` has all of a run. */
export function openWorkspace(options: WorkspaceOptions): HostedWorkspace {
  const { spec, runner, session, env, clock, record } = options
  const folder = openFolder(options)
  const { root, files, protect, snapshots } = folder
  const locks = { project: spec.project, removal: (since: number) => removal(folder, since) }
  const checking = { spec, runner, session, env, clock, locks, protectedFiles: protectedFilesOf(folder) }
  const judging: Judging = {
    ask: options.askJudge,
    workOf: since => judgedWork(snapshots, since),
    warn: note => record({ type: 'warned', at: now(), note }),
    ...judgeTools(spec.settings, clock),
  }
  const guardrails = composeChecks(checking, judging)
  const inHead = keepInHead(options, () => lockWait(folder))
  const scm = composeScm(scmOptions(folder))

  return {
    dir: spec.project,
    start: spec.start,
    noteCommits: record => noteCommits(folder, record),
    locks: since => lockWait(folder, since),
    commitAll: (step, message, state) => commitAll(folder, step, message, state),
    share: async id => scm?.().share(id),
    needFolder: () => needFolder(root),
    async beforeAgent() {
      await protect.take()
      inHead.begin()
      await files.begin()
    },
    async afterAgent({ id, at }) {
      await runner.sweep(id)
      // If the folder is gone, restoring a few files would make something that looks like it.
      if (isPinned(root)) await protect.restore()
      await clearLocks(folder, at)
      files.prepare()
    },
    checks() {
      needFolder(root)
      return [...protect.checks(), ...guardrails]
    },
    snapshot: async () => (snapshots ? snapshots.take() : null),
    diff: async since => (snapshots ? snapshots.diff(since, await snapshots.take()) : null),
    putBack: tree => putBackTree(folder, tree),
    verify: criteria =>
      criteriaChecks(criteria, checking, { ...judging, onJudgeError: spec.settings.pipeline.onJudgeError }),
    doubts: composeDoubts(options, files),
    fingerprint: files.fingerprint,
    changedInStep: files.changedInStep,
    changedFiles: files.changedLately,
    recordChanges: ({ id }) => files.record(id),
    prepareApply: async ({ step, state }) => (scm ? prepareCommit(folder, scm(), step.id, state) : []),
    beforeFirstChecks() {
      if (guardrails.length > 0) noteProtected(folder)
    },
    async beforeApply({ id, at }, state) {
      lookAtHead(folder, id, state)
      await clearLocks(folder, Math.min(folder.since, at))
    },
    async commit(settled, state) {
      const { id } = settled
      await files.record(id)
      await scm?.().apply(settled, state)
      await inHead.restore(protect.violations(), id, noteCommits(folder, record))
      protect.release()
    },
  }
}

const protectedFilesOf = (folder: Folder): ProtectedFiles => ({
  taken: () => folder.taken,
  restore: () => restoreProtected(folder),
})

/** Checks run side by side; two that restore at once would get in each other's way. */
function restoreProtected(folder: Folder): ReturnType<Protection['restore']> {
  const { root, protect } = folder
  const next = folder.restoring.then(() => (isPinned(root) ? protect.restore() : null))
  folder.restoring = next.catch(() => {})
  return next
}

/** Before the first checks, when no step is in flight yet. */
function noteProtected(folder: Folder): void {
  folder.taken = folder.protect.take().then(folder.protect.release)
  // The first check awaits it and gets the error.
  folder.taken.catch(() => {})
}

const removal = ({ options: { spec, record } }: Folder, since: number): LockRemoval => ({
  since,
  watchOwners: () => spec.start && watchLockOwners(folderTester(spec.start)),
  onRemoved(path) {
    const note = `${relative(spec.project, path)} is removed: a git of this run was killed and left it`
    record({ type: 'warned', at: now(), note })
  },
})

const lockWait = (folder: Folder, since = folder.since): LockWait => ({
  hard: folder.options.hard,
  removal: removal(folder, since),
})

/** Removes the locks that the run left since then. */
async function clearLocks(folder: Folder, since: number): Promise<void> {
  const { start } = folder.options.spec
  folder.since = since
  if (start) await lastingLocks(start.dirs, lockWait(folder))
}

const scmOptions = (folder: Folder): ScmOptions => ({
  ...folder.options,
  locks: () => lockWait(folder),
  moved: to => folder.head?.moved(to),
  unchecked: (paths, { tree }) => folder.files.uncheckedAmong(paths, tree),
})

/** With an intent in the journal, the agent's commits are there too; a later commit may be ralph's own. */
function lookAtHead({ head }: Folder, id: StepId, state: RunState): void {
  if (!state.intents[id]) head?.recordCommits(id)
}

const noteCommits =
  ({ head }: Folder, record: Recorder): Recorder =>
  event => {
    if (event.type === 'committed') head?.moved(event.to)
    record(event)
  }

const COMMITS: RunSpec['settings']['scm'] = { command: 'git', tasks: ['commit'], merge: 'rebase' }

async function commitAll(folder: Folder, step: Step, text: string, state: RunState): Promise<string | null> {
  const { spec } = folder.options
  await clearLocks(folder, step.at)
  lookAtHead(folder, step.id, state)
  const own = composeScm({
    ...scmOptions(folder),
    spec: { ...spec, settings: { ...spec.settings, scm: COMMITS } },
    ask: async () => ({ ok: true, text, note: '' }),
    // Whatever is there is checked next.
    unchecked: async () => [],
  })
  return own!().commit(step, state)
}

async function prepareCommit(folder: Folder, scm: ScmStep, id: StepId, state: RunState): Promise<Finding[]> {
  const { runner, hard } = folder.options
  lookAtHead(folder, id, state)
  await scm.prepare(id, state)
  await runner.sweep(id)
  // The agent that wrote the message may have had tools.
  if ((await restoreProtected(folder)) === null) return []
  return Promise.all(folder.protect.checks().map(async check => (await check.run(null, hard)).finding))
}

async function putBackTree({ snapshots, files, options }: Folder, tree: string): Promise<string[]> {
  if (!snapshots) return []
  const { paths, obstacle } = await snapshots.putBack(tree)
  if (obstacle !== null) options.record({ type: 'warned', at: now(), note: obstacle })
  if (paths.length > 0) files.reread()
  return paths
}

function needFolder(root: PinnedFolder): void {
  const lost = lossOf(root)
  if (lost !== null) throw new CannotGoOn(`the project ${root.path} ${lost}`)
}
