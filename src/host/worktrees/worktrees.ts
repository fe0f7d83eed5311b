import { createHash } from 'node:crypto'
import { existsSync, rmdirSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import type { Finding, RunEvent } from '../../core/events.ts'
import { firstLine, listPaths } from '../../core/format.ts'
import { CannotGoOn, type Work } from '../../core/ports.ts'
import type { RunState } from '../../core/table.ts'
import type { TaskId } from '../../core/task.ts'
import type { WorkspaceState } from '../../core/workspaces.ts'
import { combine } from '../../git/branches/combine.ts'
import { type Moved, moveBranch } from '../../git/branches/move.ts'
import { addWorktree, removeWorktree, unmergedIn } from '../../git/branches/worktree.ts'
import { changesSince } from '../../git/changes.ts'
import { commitOf, git } from '../../git/git.ts'
import { unfinishedOperation } from '../../git/head.ts'
import { pastLocks } from '../../git/locks/lasting.ts'
import { recordStart, type Start } from '../../git/start.ts'
import type { RunCommand } from '../../runners/run-command.ts'
import type { RunSpec } from '../../workflows/spec.ts'
import type { Worktrees } from '../../workflows/workflow.ts'
import { emptyWorktree, fillWorktree } from './fill.ts'
import type { Workspaces } from './workspaces.ts'

export type WorktreesOptions = {
  /** The run's own folder. Its name, the run's id, is in the names of folders and branches. */
  runDir: string
  spec: RunSpec
  state(): RunState
  record(event: RunEvent): void
  /** For git and the commands of `worktree`. */
  env: Record<string, string>
  hard: AbortSignal
  run: RunCommand
  workspaces: Workspaces
}

/** The worktrees of tasks, as the host has them. */
export type HostedWorktrees = Worktrees & {
  /** Whether a worktree was removed, because its work is merged. */
  isGone(workspace: string): boolean
  /** Removes the worktree and the branch of a task once all of it is proven to be merged. Safe to repeat. */
  close(workspace: string): Promise<void>
}

/** What the worktrees of a run have in common. */
type Common = WorktreesOptions & {
  /** The run's id. */
  id: string
  /** The repository, as the run found it, and the branch that it began on. */
  start: Start
  branch: string
}

/** One worktree: its workspace by name, as the journal has it, and its repository. */
type Worktree = { name: string; me: WorkspaceState; start: Start }

export function openWorktrees(options: WorktreesOptions): HostedWorktrees {
  const common: Common = { ...options, ...needBranch(options.spec), id: basename(options.runDir) }
  const { state } = options
  return {
    open: task => open(common, task.id),
    merge: (work, message) => merge(common, work, message),
    land: work => land(common, work),
    close: name => close(common, name),
    isGone(name) {
      const me = state().workspaces[name]
      return me === undefined || (me.merged !== undefined && !existsSync(me.dir))
    },
  }
}

async function tipOfTarget({ start, branch, env, id }: Common): Promise<string> {
  const tip = await commitOf(start.root, env, `refs/heads/${branch}`)
  if (tip === null)
    throw new CannotGoOn(`the branch ${branch} is gone; make it again, then: ralph resume ${id}`)
  return tip
}

const pastLock = async ({ start, hard }: Common, act: () => Promise<string | null>) =>
  (await pastLocks(start.dirs, { hard }, act))?.failure ?? null

const fillOf = ({ spec: { settings }, env, run }: Common) => ({ settings, env, run })

function planFor({ spec: { project }, start: { root }, id }: Common, task: TaskId) {
  const slug = slugFor(task)
  const path = join(`${root}-worktrees`, id, slug)
  const workspace = relative(project, join(path, relative(root, project)))
  return { path, branch: `ralph/${id}/${slug}`, root, workspace }
}

async function open(common: Common, task: TaskId): Promise<string> {
  const { spec, state, record, env, id } = common
  const { workspace, ...plan } = planFor(common, task)
  const known = state().workspaces[workspace]
  if (known?.start) return workspace
  const base = await tipOfTarget(common)
  const cannot = (what: string) => new CannotGoOn(`${task}: ${what}; fix that, then: ralph resume ${id}`)
  // Nobody has worked in it: it was cut off while it was made.
  const left = known ? await pastLock(common, () => removeWorktree(plan, env, true)) : null
  if (left !== null) throw cannot(`what is left of ${plan.path} cannot be removed: ${left}`)
  record({ type: 'opening', at: Date.now(), workspace, task, dir: plan.path, branch: plan.branch, base })
  const failure = await pastLock(common, () => addWorktree(plan, base, env))
  if (failure !== null) throw cannot(`git cannot make the worktree ${plan.path}: ${failure}`)
  const wrong = await fillWorktree(plan, fillOf(common))
  if (wrong !== null) throw cannot(wrong)
  const found = await recordStart(join(spec.project, workspace), env)
  if (!found) throw cannot(`${plan.path} cannot be read by git`)
  record({ type: 'opened', at: Date.now(), workspace, start: found as unknown as Record<string, unknown> })
  return workspace
}

/** The worktree of a step. */
async function worktreeOf({ state, workspaces }: Common, { step }: Work): Promise<Worktree> {
  const name = step.workspace ?? ''
  const me = state().workspaces[name]
  const { start } = await workspaces.of(step.workspace)
  if (!me || !start) throw new CannotGoOn(`the folder of ${step.task} is not a worktree of this run`)
  return { me, name, start }
}

/**
 * Brings the work of a task together with the branch that the run began on. The result is computed apart and journaled,
 * then the task's own branch goes there: one move from a commit to another, which a crash leaves done or undone.
 */
async function merge(common: Common, work: Work, message: string): Promise<Finding[]> {
  const { spec, state, record, env, workspaces, start, runDir } = common
  const { step } = work
  const { me, name, start: own } = await worktreeOf(common, work)
  if (me.merged) return []
  const wrong = unfinishedOperation(own.dirs) ?? (await otherBranch(me, env))
  if (wrong !== null) return [red(`${wrong}, so the work cannot be merged. Finish or undo that.`)]
  const begun = me.merging?.id === step.id ? me.merging : null
  const isCombined =
    begun?.to !== undefined && (await goTo(common, work, begun.tip, begun.to, true)).type === 'moved'
  if (isCombined) return conflictIn(common, name)
  const uncommitted = await (await workspaces.of(name)).commitAll(step, firstLine(message), state())
  if (uncommitted !== null) return [red(`git commit ${uncommitted}`)]
  const both = { tip: (await commitOf(me.dir, env, 'HEAD')) ?? '', onto: await tipOfTarget(common) }
  record({ type: 'merging', at: Date.now(), id: step.id, workspace: name, ...both })
  const resolved = me.conflict && { conflict: me.conflict.commit }
  // One merge at a time.
  const bench = { root: start.root, env, scratch: join(runDir, 'merging') }
  const way = spec.settings.scm?.merge ?? 'rebase'
  const combined = await combine(bench, { ...both, ...resolved }, way, message)
  if (combined.type === 'failed') return [unsure(combined.why)]
  const { tip } = combined
  const conflict = combined.type === 'conflict' ? { conflict: combined.paths } : {}
  record({ type: 'rebased', at: Date.now(), id: step.id, workspace: name, base: both.onto, tip, ...conflict })
  const moved = await goTo(common, work, both.tip, tip, false)
  return moved.type === 'moved' ? conflictIn(common, name) : [unsure(notMoved(moved, me.branch))]
}

function conflictIn({ state, branch }: Common, name: string): Finding[] {
  const paths = state().workspaces[name]?.conflict?.paths
  return paths ? [red(conflictNote(paths, branch))] : []
}

/** Moves the branch of a step's worktree. */
async function goTo(
  common: Common,
  work: Work,
  from: string,
  to: string,
  isRepeated: boolean,
): Promise<Moved> {
  const { env, workspaces } = common
  const { me, name, start } = await worktreeOf(common, work)
  const wait = (await workspaces.of(name)).locks(work.step.at)
  const moved = await moveBranch(
    { root: me.dir, dirs: start.dirs, branch: me.branch, env },
    { from, to, isForward: false, isRepeated, wait },
  )
  // What the task did comes after another commit now.
  workspaces.forget(name)
  return moved
}

async function land(common: Common, work: Work): Promise<Finding[]> {
  const { record, env, workspaces, start, branch } = common
  const { id, at: since } = work.step
  const { me, name, start: own } = await worktreeOf(common, work)
  if (me.merged) return []
  const left = await changesSince(own, env)
  if (!left || left.ours.length > 0)
    return [unsure(`files changed while they were checked: ${listPaths(left?.ours ?? [])}`)]
  const from = me.base
  const to = (await commitOf(me.dir, env, 'HEAD')) ?? ''
  const isRepeated = me.landing?.id === id && me.landing.from === from && me.landing.to === to
  if (!isRepeated) record({ type: 'landing', at: Date.now(), id, workspace: name, from, to })
  const target = { root: start.root, dirs: start.dirs, branch, env }
  const wait = workspaces.project.locks(since)
  const moved = await moveBranch(target, { from, to, isForward: true, isRepeated, wait })
  const why = notMoved(moved, branch)
  if (moved.type === 'elsewhere') return [unsure(why)]
  if (moved.type !== 'moved') return [needsPerson(`not merged: ${why}`)]
  record({ type: 'merged', at: Date.now(), id, workspace: name, from, to })
  return []
}

async function close(common: Common, name: string): Promise<void> {
  const { state, record, env, workspaces, start, branch } = common
  const me = state().workspaces[name]
  if (!me?.merged) return
  const worktree = { path: me.dir, branch: me.branch, root: start.root, base: me.base }
  const kept =
    (await unmergedIn(worktree, env, `refs/heads/${branch}`)) ??
    (existsSync(me.dir) ? await emptyWorktree(worktree, fillOf(common)) : null) ??
    (await pastLock(common, () => removeWorktree(worktree, env, false)))
  if (kept !== null) return record({ type: 'warned', at: Date.now(), note: `${me.dir} is kept: ${kept}` })
  workspaces.forget(name)
  record({ type: 'closed', at: Date.now(), workspace: name })
  for (const folder of [dirname(me.dir), dirname(dirname(me.dir))]) removeIfEmpty(folder)
}

/** Checked when the run began; a journal that was changed by hand may say otherwise. */
function needBranch({ start }: RunSpec): { start: Start; branch: string } {
  if (!start || start.branch === null)
    throw new CannotGoOn('worktrees of tasks need a git repository on a branch')
  return { start, branch: start.branch }
}

/** A name for folders and branches. Ids that differ only in what is left out differ in their hash. */
function slugFor(task: TaskId): string {
  const slug = task.replace(/[^A-Za-z0-9_-]+/g, '-').replace(/^-+|-+$/g, '')
  return slug === task
    ? slug
    : `${slug || 'task'}-${createHash('sha256').update(task).digest('hex').slice(0, 6)}`
}

async function otherBranch(
  { dir, branch }: Pick<WorkspaceState, 'dir' | 'branch'>,
  env: Record<string, string>,
): Promise<string | null> {
  const head = (await git(dir, env, ['symbolic-ref', '--quiet', '--short', 'HEAD']))?.trim()
  return head === branch ? null : `this worktree is not on its branch ${branch} any more`
}

const conflictNote = (paths: readonly string[], branch: string) =>
  `The work conflicts with what is on ${branch} by now. These files have both sides: ${paths.join(', ')}.`

/** Why a branch was not moved, and what to do. */
function notMoved(moved: Moved, branch: string): string {
  switch (moved.type) {
    case 'moved':
      return ''
    case 'elsewhere':
      return `${branch} moved while the merge was checked`
    case 'overlap':
      return `it changes what you have not committed: ${listPaths(moved.paths)}. Commit or move your changes`
    case 'failed':
      return `${moved.why}. Fix that`
    default:
      return moved satisfies never
  }
}

const CHECK = 'merge'
const red = (note: string): Finding => ({ check: CHECK, verdict: 'fail', note, action: 'APPEND' })
const unsure = (note: string): Finding => ({ check: CHECK, verdict: 'unsure', note })
const needsPerson = (note: string): Finding => ({ check: CHECK, verdict: 'fail', note, asks: true })

function removeIfEmpty(folder: string): void {
  try {
    rmdirSync(folder)
  } catch {
    // Other worktrees are in it.
  }
}
