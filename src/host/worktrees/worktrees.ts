import { createHash } from 'node:crypto'
import { existsSync, rmdirSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import type { Finding, RunEvent } from '../../core/events.ts'
import { firstLine, listPaths } from '../../core/format.ts'
import { CannotGoOn, type Work } from '../../core/ports.ts'
import type { RunState } from '../../core/table.ts'
import type { Task, TaskId } from '../../core/task.ts'
import type { WorkspaceState } from '../../core/workspaces.ts'
import { combine } from '../../git/branches/combine.ts'
import { type Moved, moveBranch } from '../../git/branches/move.ts'
import { addWorktree, removeWorktree, unmergedIn } from '../../git/branches/worktree.ts'
import { changesSince } from '../../git/changes.ts'
import { commitOf } from '../../git/commit/find.ts'
import { git } from '../../git/git.ts'
import { unfinishedOperation } from '../../git/head.ts'
import { type LockWait, pastLocks } from '../../git/locks/lasting.ts'
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
  emit(event: RunEvent): void
  /** For git and the commands of `worktree`. */
  env: Record<string, string>
  hard: AbortSignal
  run: RunCommand
  workspaces: Workspaces
}

/** The worktrees of tasks, as the host has them. */
export type HostedWorktrees = Worktrees & {
  /** Whether a folder was removed, because its work is merged. */
  isGone(workspace: string): boolean
  /** Removes the folder and the branch of a task once all of it is proven to be merged. Safe to repeat. */
  close(workspace: string): Promise<void>
}

export function openWorktrees(options: WorktreesOptions): HostedWorktrees {
  const { runDir, spec, state, emit, env, hard, workspaces } = options
  const { project, settings } = spec
  const { start, branch } = needBranch(spec)
  const { root } = start
  const run = basename(runDir)
  const target = { root, dirs: start.dirs, branch, env }
  // One merge at a time.
  const bench = { root, env, scratch: join(runDir, 'merging') }
  const fill = { settings, env, run: options.run }
  const at = () => Date.now()
  const tipOfTarget = async () => {
    const tip = await commitOf(root, env, `refs/heads/${branch}`)
    if (tip === null)
      throw new CannotGoOn(`the branch ${branch} is gone; make it again, then: ralph resume ${run}`)
    return tip
  }
  const pastLock = async (act: () => Promise<string | null>, wait: LockWait = { hard }) =>
    (await pastLocks(start.dirs, wait, act))?.failure ?? null

  function planFor(task: TaskId) {
    const slug = slugFor(task)
    const path = join(`${root}-worktrees`, run, slug)
    const workspace = relative(project, join(path, relative(root, project)))
    return { path, branch: `ralph/${run}/${slug}`, root, workspace }
  }

  async function open({ id: task }: Pick<Task, 'id'>): Promise<string> {
    const { workspace, ...plan } = planFor(task)
    const known = state().workspaces[workspace]
    if (known?.start) return workspace
    const base = await tipOfTarget()
    const cannot = (what: string) => new CannotGoOn(`${task}: ${what}; fix that, then: ralph resume ${run}`)
    // Nobody has worked in it: it was cut off while it was made.
    const left = known ? await pastLock(() => removeWorktree(plan, env, true)) : null
    if (left !== null) throw cannot(`what is left of ${plan.path} cannot be removed: ${left}`)
    emit({ type: 'opening', at: at(), workspace, task, dir: plan.path, branch: plan.branch, base })
    const failure = await pastLock(() => addWorktree(plan, base, env))
    if (failure !== null) throw cannot(`git cannot make the worktree ${plan.path}: ${failure}`)
    const wrong = await fillWorktree(plan, fill)
    if (wrong !== null) throw cannot(wrong)
    const found = await recordStart(join(project, workspace), env)
    if (!found) throw cannot(`${plan.path} cannot be read by git`)
    emit({ type: 'opened', at: at(), workspace, start: found as unknown as Record<string, unknown> })
    return workspace
  }

  /** The folder of a step, as the journal and as git know it. */
  async function folderOf({ step }: Work): Promise<{ me: WorkspaceState; name: string; start: Start }> {
    const name = step.workspace ?? ''
    const me = state().workspaces[name]
    const own = (await workspaces.of(step.workspace)).start
    if (!me || !own) throw new CannotGoOn(`the folder of ${step.task} is not a worktree of this run`)
    return { me, name, start: own }
  }

  /**
   * Brings the work of a task together with the branch that the run began on. The result is computed apart and journaled,
   * then the task's own branch goes there: one move from a commit to another, which a crash leaves done or undone.
   */
  async function merge(work: Work, message: string): Promise<Finding[]> {
    const { step } = work
    const { me, name, start: own } = await folderOf(work)
    if (me.merged) return []
    const wrong = unfinishedOperation(own.dirs) ?? (await otherBranch(me, env))
    if (wrong !== null) return [red(`${wrong}, so the work cannot be merged. Finish or undo that.`)]
    const begun = me.merging?.id === step.id ? me.merging : null
    const isCombined =
      begun?.to !== undefined && (await goTo(work, begun.tip, begun.to, true)).type === 'moved'
    if (isCombined) return conflictIn(name)
    const uncommitted = await (await workspaces.of(name)).commitAll(step, firstLine(message), state())
    if (uncommitted !== null) return [red(`git commit ${uncommitted}`)]
    const both = { tip: (await commitOf(me.dir, env, 'HEAD')) ?? '', onto: await tipOfTarget() }
    emit({ type: 'merging', at: at(), id: step.id, workspace: name, ...both })
    const resolved = me.conflict && { conflict: me.conflict.commit }
    const combined = await combine(bench, { ...both, ...resolved }, settings.scm?.merge ?? 'rebase', message)
    if (combined.type === 'failed') return [unsure(combined.why)]
    const { tip } = combined
    const conflict = combined.type === 'conflict' ? { conflict: combined.paths } : {}
    emit({ type: 'rebased', at: at(), id: step.id, workspace: name, base: both.onto, tip, ...conflict })
    const moved = await goTo(work, both.tip, tip, false)
    return moved.type === 'moved' ? conflictIn(name) : [unsure(notMoved(moved, me.branch))]
  }

  function conflictIn(name: string): Finding[] {
    const paths = state().workspaces[name]?.conflict?.paths
    return paths ? [red(conflictNote(paths, branch))] : []
  }

  /** Moves the branch of a step's own folder. */
  async function goTo(work: Work, from: string, to: string, isRepeated: boolean): Promise<Moved> {
    const { me, name, start: own } = await folderOf(work)
    const wait = (await workspaces.of(name)).locks(work.step.at)
    const moved = await moveBranch(
      { root: me.dir, dirs: own.dirs, branch: me.branch, env },
      { from, to, isForward: false, isRepeated, wait },
    )
    // What the task did comes after another commit now.
    workspaces.reopen(name)
    return moved
  }

  async function land(work: Work): Promise<Finding[]> {
    const { id, at: since } = work.step
    const { me, name, start: own } = await folderOf(work)
    if (me.merged) return []
    const left = await changesSince(own, env)
    if (!left || left.ours.length > 0)
      return [unsure(`files changed while they were checked: ${listPaths(left?.ours ?? [])}`)]
    const from = me.base
    const to = (await commitOf(me.dir, env, 'HEAD')) ?? ''
    const isRepeated = me.landing?.id === id && me.landing.from === from && me.landing.to === to
    if (!isRepeated) emit({ type: 'landing', at: at(), id, workspace: name, from, to })
    const wait = workspaces.project.locks(since)
    const moved = await moveBranch(target, { from, to, isForward: true, isRepeated, wait })
    const why = notMoved(moved, branch)
    if (moved.type === 'elsewhere') return [unsure(why)]
    if (moved.type !== 'moved') return [needsPerson(`not merged: ${why}`)]
    emit({ type: 'merged', at: at(), id, workspace: name, from, to })
    return []
  }

  async function close(name: string): Promise<void> {
    const me = state().workspaces[name]
    if (!me?.merged) return
    const worktree = { path: me.dir, branch: me.branch, root, base: me.base }
    const kept =
      (await unmergedIn(worktree, env, `refs/heads/${branch}`)) ??
      (existsSync(me.dir) ? await emptyWorktree(worktree, fill) : null) ??
      (await pastLock(() => removeWorktree(worktree, env, false)))
    if (kept !== null) return emit({ type: 'warned', at: at(), note: `${me.dir} is kept: ${kept}` })
    workspaces.reopen(name)
    emit({ type: 'closed', at: at(), workspace: name })
    for (const folder of [dirname(me.dir), dirname(dirname(me.dir))]) removeIfEmpty(folder)
  }

  return {
    open,
    merge,
    land,
    close,
    isGone(name) {
      const me = state().workspaces[name]
      return me === undefined || (me.merged !== undefined && !existsSync(me.dir))
    },
  }
}

/** Checked when the run began; a journal that was changed by hand may say otherwise. */
function needBranch({ start }: RunSpec): { start: Start; branch: string } {
  if (!start || start.branch === null)
    throw new CannotGoOn('folders of tasks need a git repository on a branch')
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
