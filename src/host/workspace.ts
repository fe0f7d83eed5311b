import { relative } from 'node:path'
import type { ProtectedFiles } from '../checks/guarded.ts'
import type { AskJudge, JudgedWork } from '../checks/judge/judge.ts'
import type { RunEvent, Settled } from '../core/events.ts'
import { CannotGoOn, type Clock } from '../core/ports.ts'
import type { RunState, Step, StepId } from '../core/table.ts'
import type { Workspace } from '../core/workspaces.ts'
import { folderTester } from '../git/locks/find.ts'
import { type LockRemoval, type LockWait, lastingLocks } from '../git/locks/lasting.ts'
import { openSnapshots, type Snapshots } from '../git/snapshots.ts'
import { type Start, treeStateAtStart } from '../git/start.ts'
import { watchFiles } from '../git/watch-files.ts'
import { watchHead } from '../git/watch-head.ts'
import type { SharedFiles } from '../protect/protection.ts'
import type { RunRunner } from '../runners/index.ts'
import { watchLockOwners } from '../runners/process/lock-owners.ts'
import { lossOf } from '../store/files/inside.ts'
import { isPinned, type PinnedFolder, pinFolder } from '../store/files/pinned.ts'
import type { Session } from '../store/session.ts'
import type { RunSpec } from '../workflows/spec.ts'
import type { Recorder, Workflow } from '../workflows/workflow.ts'
import type { AskAgent } from './agents/ask.ts'
import { type CriteriaTools, composeChecks, composeDoubts, criteriaChecks, judgeTools } from './checks.ts'
import { keepInHead } from './keep-in-head.ts'
import { composeProtection } from './protection.ts'
import { composeScm } from './scm.ts'

/** A workspace as the host has it. */
export interface HostedWorkspace extends Workspace {
  /** Its repository as the run found it; null outside one. */
  start: Start | null
  /** Throws if the folder is gone, or was replaced by another. */
  needFolder(): void
  /** How to wait for git's locks here; those that the run left since then are removed. */
  locks(since?: number): LockWait
  /** Commits everything here that the run changed. Returns why it failed; null: it did not. */
  commitAll(step: Step, message: string, state: RunState): Promise<string | null>
  /** Pushes, if the settings say so. */
  share(id: StepId): Promise<void>
  /** Before the first checks: notes how protected files are now. */
  beforeFirstChecks(): void
  /** Makes git follow what was settled; `applyFiles` does the same for the workflow's own files, in the middle of it. */
  apply(
    settled: Settled,
    state: RunState,
    record: Recorder,
    applyFiles: (r: Recorder) => unknown,
  ): Promise<void>
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
  emit(event: RunEvent): void
  hard: AbortSignal
  /** Where HEAD was when the run last worked here. */
  lastCommit: string | null
  /** Where it was before the steps that are not applied yet. */
  commitBefore: string | null
  /** Nothing was done here yet: the tree is as the spec says. */
  isFresh: boolean
}

const now = () => Date.now()

/** What the work is compared with: a tree of the run, or the one that it began with. */
async function judgedWork(snapshots: Snapshots | null, since: string | undefined): Promise<JudgedWork> {
  if (!snapshots) return { diff: null, isInTree: async () => false }
  const tree = await snapshots.take()
  const diff = await snapshots.diff(since ?? (await snapshots.atStart()), tree)
  return { diff, isInTree: text => snapshots.contains(tree, text) }
}

/** Opens one folder. `openWorkspaces` has all of a run. */
export function openWorkspace(options: WorkspaceOptions): HostedWorkspace {
  const { workflow, spec, runner, session, env, clock, emit, hard } = options
  const { project: dir, start } = spec
  const root = pinFolder(dir)
  const head = start && watchHead(start, options.lastCommit ?? start.head, emit, now)
  const atStart = start && treeStateAtStart(start)
  const known = options.isFresh ? atStart : null
  const files = watchFiles(dir, { repository: start, known, start: atStart }, env, emit, now)
  const doubts = composeDoubts(options, files)
  const protect = composeProtection({
    spec,
    more: workflow.protectedAreas(spec),
    name: options.protectedName,
    runDir: options.runDir,
    env,
    shared: options.shareGit(start),
  })
  let taken = Promise.resolve()
  let restoring: Promise<unknown> = Promise.resolve()
  const protectedFiles: ProtectedFiles = {
    taken: () => taken,
    restore() {
      // Checks run side by side; two that restore at once would get in each other's way.
      const next = restoring.then(() => (isPinned(root) ? protect.restore() : null))
      restoring = next.catch(() => {})
      return next
    },
  }
  /** When the step began that holds this workspace, or, if a crash hid that, when it was settled. */
  let since = Number.POSITIVE_INFINITY
  const removal = (from: number): LockRemoval => ({
    since: from,
    watchOwners: () => start && watchLockOwners(folderTester(start)),
    onRemoved(path) {
      const note = `${relative(dir, path)} is removed: a git of this run was killed and left it`
      emit({ type: 'warned', at: now(), note })
    },
  })
  const locks = { project: dir, removal }
  const lockWait = (from = since): LockWait => ({ hard, removal: removal(from) })
  const clearLocks = async (from: number) => {
    since = from
    if (start) await lastingLocks(start.dirs, lockWait())
  }
  const inHead = keepInHead(options, lockWait)
  const snapshots = start && openSnapshots(start, options.runDir, env)
  const checking = { spec, runner, session, env, protectedFiles, clock, locks }
  const judging: CriteriaTools = {
    ask: options.askJudge,
    workOf: since => judgedWork(snapshots, since),
    warn: note => emit({ type: 'warned', at: now(), note }),
    ...judgeTools(spec.settings, clock),
  }
  const guardrails = composeChecks(checking, judging)
  const moved = (to: string) => head?.moved(to)
  const committing = {
    spec,
    runner,
    session,
    hard,
    ask: options.ask,
    clock: options.clock,
    env,
    locks: () => lockWait(),
    moved,
    unchecked: (paths: readonly string[], { tree }: { tree?: string }) => files.uncheckedAmong(paths, tree),
  }
  const scm = composeScm(committing)
  const noteCommits = (record: Recorder): Recorder => {
    return event => {
      if (event.type === 'committed') moved(event.to)
      record(event)
    }
  }

  return {
    dir,
    start,
    noteCommits,
    locks: lockWait,
    async commitAll(step, message, state) {
      await clearLocks(step.at)
      if (!state.intents[step.id]) head?.recordCommits(step.id)
      const settings = { ...spec.settings, scm: COMMITS }
      const say = async () => ({ ok: true, text: message, note: '' })
      // Whatever is there is checked next.
      const unchecked = async () => []
      const own = composeScm({ ...committing, spec: { ...spec, settings }, ask: say, unchecked })
      return own!(emit).commit(step, state)
    },
    share: async id => scm?.(emit).share(id),
    needFolder: () => needFolder(root),
    async beforeAgent() {
      await protect.take()
      inHead.begin()
      await files.begin()
    },
    async afterAgent({ at }) {
      // If the folder is gone, restoring a few files would make something that looks like it.
      if (isPinned(root)) await protect.restore()
      await clearLocks(at)
      files.prepare()
    },
    checks() {
      needFolder(root)
      return [...protect.checks(), ...guardrails]
    },
    snapshot: async () => (snapshots ? snapshots.take() : null),
    diff: async since => (snapshots ? snapshots.diff(since, await snapshots.take()) : null),
    async putBack(tree) {
      if (!snapshots) return []
      const { paths, obstacle } = await snapshots.putBack(tree)
      if (obstacle !== null) emit({ type: 'warned', at: now(), note: obstacle })
      if (paths.length > 0) files.reread()
      return paths
    },
    verify: criteria =>
      criteriaChecks(criteria, checking, { ...judging, onJudgeError: spec.settings.pipeline.onJudgeError }),
    doubts,
    fingerprint: files.fingerprint,
    changedInStep: files.changedInStep,
    changedFiles: files.changedLately,
    recordChanges: ({ id }) => files.record(id),
    async prepareApply({ step: { id }, state }) {
      if (!scm) return []
      if (!state.intents[id]) head?.recordCommits(id)
      await scm(emit).prepare(id, state)
      await runner.sweep(id)
      // The agent that wrote the message may have had tools.
      if ((await protectedFiles.restore()) === null) return []
      return Promise.all(protect.checks().map(async check => (await check.run(null, hard)).finding))
    },
    beforeFirstChecks() {
      if (guardrails.length === 0) return
      // No step is in flight yet.
      taken = protect.take().then(protect.release)
      // The first check awaits it and gets the error.
      taken.catch(() => {})
    },
    async apply(settled, state, record, applyFiles) {
      // With an intent in the journal, the agent's commits are there too; a later commit may be ralph's own.
      if (!state.intents[settled.id]) head?.recordCommits(settled.id)
      await clearLocks(Math.min(since, settled.at))
      await applyFiles(noteCommits(record))
      await files.record(settled.id)
      await scm?.(record).apply(settled, state)
      await inHead.restore(protect.violations(), settled.id, noteCommits(record))
      protect.release()
    },
  }
}

const COMMITS: RunSpec['settings']['scm'] = { command: 'git', tasks: ['commit'], merge: 'rebase' }

function needFolder(root: PinnedFolder): void {
  const lost = lossOf(root)
  if (lost !== null) throw new CannotGoOn(`the project ${root.path} ${lost}`)
}
