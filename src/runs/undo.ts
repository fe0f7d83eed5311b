import { hostname } from 'node:os'
import { fold } from '../core/evolve.ts'
import { UsageError } from '../core/usage-error.ts'
import { idsOf } from '../git/start.ts'
import { openScratch } from '../git/trees.ts'
import { applyUndo, save } from '../git/undo.ts'
import { planUndo, type UndoContext, type UndoPlan } from '../git/undo-plan.ts'
import { isAlive, processRef } from '../runners/process/proc.ts'
import { deviceOf, isPinned, type PinnedFolder, pinFolder } from '../store/files/pinned.ts'
import { acquireLock } from '../store/lock.ts'
import { dropMemo, readMemo, writeMemo } from '../store/memos.ts'
import { isUndone } from '../view/report/ending.ts'
import type { Registry } from '../workflows/index.ts'
import { keptWorktrees } from '../workflows/shared/task-worktrees.ts'
import { ralphHome, type StoredRun } from './find.ts'
import { isLive } from './live.ts'
import { chooseRun, LEFT, type PastRun, pastRun } from './past-run.ts'
import { requireProject } from './project.ts'
import { appendEvents } from './steer.ts'
import { commandToRevert, isEmptyPlan, undoLines } from './undo-lines.ts'
import { refuseFromWithin } from './within.ts'
import { titleOf } from './worker-record.ts'

export type UndoOptions = { projectDir?: string; yes?: boolean; force?: boolean }

/** The memo that is there while an undo is under way. After a crash, the next undo finishes it. */
const UNDO = 'undo'

const NOTHING_UNDONE = 'nothing was undone'

/** The result of an undo, in lines. `revert`: the command that takes it back. */
export type Undone = { code: 0 | 1; lines: string[]; revert?: string }

/** Puts everything back to what it was when a run began, if `agrees` says so, who gets the lines of the plan. */
export async function undoRun(
  registry: Registry,
  name: string | undefined,
  options: UndoOptions,
  env: NodeJS.ProcessEnv,
  agrees: (plan: readonly string[]) => Promise<boolean>,
): Promise<Undone> {
  const run = chooseRun(name, options.projectDir, env)
  refuseFromWithin(run, env)
  if (isLive(run))
    throw new UsageError(`run ${run.id} is at work; end it first, with: ralph cancel ${run.id}`)
  if (isUndone(run.events)) return { code: 0, lines: [`nothing to undo: run ${run.id} was already undone`] }
  const past = pastRun(run, env)
  const root = options.force ? pinFolder(past.start.root) : await sameFolder(past, env)
  const me = { ...processRef(process.pid), host: hostname(), run: run.id }
  const home = ralphHome(env)
  const { project } = run.began
  const refuse = (id: string, who: string) =>
    `${titleOf(home, id)} (${who}) is already running in ${project}. Wait for it to end`
  const lock = acquireLock(home, project, me, isAlive, refuse)
  const scratch = openScratch(past.start, run.dir, past.env)
  try {
    const undoing: UndoContext = {
      start: past.start,
      root,
      runDir: run.dir,
      left: past.left,
      isBegun: readMemo(run.dir, UNDO) !== null,
      force: options.force ?? false,
      env: past.env,
      scratch,
    }
    const plan = await planUndo(undoing)
    const isEndKnown = past.left !== null
    const kept = keptWorktrees(fold(run.events).state)
    const isEmpty = isEmptyPlan(past.start, plan) && !undoing.isBegun
    if (isEmpty && plan.unknown.length === 0)
      return { code: 0, lines: ['nothing to undo: everything is as it was'] }
    const lines = undoLines(run.id, past.start, plan, { isEndKnown, kept })
    if (isEmpty) return { code: 1, lines: [...lines, NOTHING_UNDONE] }
    if (!(await agrees(lines))) return { code: 1, lines: [NOTHING_UNDONE] }
    if (!options.yes) await requireSame(undoing, plan)
    const saved = await carryOut(registry, past, undoing, plan)
    const done = `undone; what was there is kept in ${saved}, and this brings it back:`
    return { code: 0, lines: [done], revert: commandToRevert(past.start, plan, saved) }
  } finally {
    scratch.close()
    lock.release()
  }
}

/** The repository's folder, pinned. Throws if it, or git's folder in it, is not the one that the run was in. */
async function sameFolder({ run, start }: PastRun, env: NodeJS.ProcessEnv): Promise<PinnedFolder> {
  const now = idsOf(start)
  const { ids } = start
  // Where nobody resumed it elsewhere, it must be the very same folders, and no copies: an undo removes and overwrites files.
  const isMoved =
    run.last.folder !== (run.events[0] as StoredRun['began']).folder ||
    deviceOf(ids.root) !== deviceOf(now.root)
  if (ids.root !== now.root && !isMoved)
    throw new UsageError(
      `${start.root} is not the folder that the run was in, but another at the same path; to undo anyway, use --force`,
    )
  const isThere = now.own !== '' && now.common !== ''
  if (isThere && (ids.own !== now.own || ids.common !== now.common) && !isMoved)
    throw new UsageError(
      `${start.dirs.own} is not the repository that the run was in, but another at the same path; to undo anyway, use --force`,
    )
  if (isThere) await requireProject(run, env)
  return pinFolder(start.root)
}

/** While the user was asked, anything may have changed: then the answer is not about this plan. */
async function requireSame(undoing: UndoContext, shown: UndoPlan): Promise<void> {
  const { start, root } = undoing
  if (!isPinned(root))
    throw new UsageError(`${start.root} was moved or replaced meanwhile; nothing was undone`)
  if (JSON.stringify(await planUndo(undoing)) !== JSON.stringify(shown))
    throw new UsageError(`the project changed meanwhile, so nothing was undone; look again with: ralph undo`)
}

/** Returns the ref that holds everything as it was before the undo. */
async function carryOut(
  registry: Registry,
  { run }: PastRun,
  undoing: UndoContext,
  plan: UndoPlan,
): Promise<string> {
  const saved = await save(undoing, plan, run.id)
  writeMemo(run.dir, UNDO, { saved })
  await applyUndo(undoing, plan, run.id)
  const workflow = registry.get(run.began.workflow)
  workflow?.onUndone?.({ ...workflow.readSpec(run.began.pins), project: run.last.project })
  appendEvents(run, { type: 'undone', at: Date.now(), saved })
  dropMemo(run.dir, UNDO)
  dropMemo(run.dir, LEFT)
  return saved
}
