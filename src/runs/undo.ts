import { hostname } from 'node:os'
import { UsageError } from '../core/usage-error.ts'
import { openScratch } from '../git/trees.ts'
import { save, undo } from '../git/undo.ts'
import { planUndo, type Undoing, type UndoPlan } from '../git/undo-plan.ts'
import { isAlive, processRef } from '../runners/process/proc.ts'
import { openJournal } from '../store/journal.ts'
import { acquireLock } from '../store/lock.ts'
import { dropNote, readNote, writeNote } from '../store/notes.ts'
import { agrees } from '../terminal/put-question.ts'
import { ralphHome } from './find.ts'
import { chooseRun, LEFT, type PastRun, pastRun } from './past-run.ts'
import { isLive } from './steer.ts'
import { isNothing, undoLines, wayBack } from './undo-words.ts'

export type UndoOptions = { projectDir: string; yes?: boolean; force?: boolean }

/** The note that stands while an undo is under way: after a crash, the next one goes on. */
const UNDO = 'undo'

/** Puts everything back to what it was when a run began, if the user agrees. */
export async function undoRun(name: string | undefined, options: UndoOptions): Promise<number> {
  const run = chooseRun(name, options.projectDir, process.env)
  if (isLive(run))
    throw new UsageError(`run ${run.id} is at work; end it first, with: ralph cancel ${run.id}`)
  if (run.events.findLast(e => e.type === 'undone' || e.type === 'resumed')?.type === 'undone')
    return say(`nothing to undo: run ${run.id} was undone already`)
  const past = pastRun(run)
  const me = { ...processRef(process.pid), host: hostname(), run: run.id }
  const lock = acquireLock(ralphHome(process.env), run.began.project, me, isAlive)
  const scratch = openScratch(past.start, run.dir, past.env)
  try {
    const undoing: Undoing = {
      start: past.start,
      runDir: run.dir,
      left: past.left,
      isBegun: readNote(run.dir, UNDO) !== null,
      force: options.force ?? false,
      env: past.env,
      scratch,
    }
    const plan = await planUndo(undoing)
    if (isNothing(past.start, plan) && !undoing.isBegun)
      return say('nothing to undo: everything is as it was')
    for (const line of undoLines(run.id, past.start, plan, past.left !== null)) say(line)
    if (!options.yes && !(await agreed())) return say('nothing was undone', 1)
    return await carryOut(past, undoing, plan)
  } finally {
    scratch.close()
    lock.release()
  }
}

async function carryOut({ run, start }: PastRun, undoing: Undoing, plan: UndoPlan): Promise<number> {
  const saved = await save(undoing, plan, run.id)
  writeNote(run.dir, UNDO, { saved })
  await undo(undoing, plan, run.id)
  const journal = openJournal(run.dir)
  journal.append({ type: 'undone', at: Date.now(), saved })
  journal.close()
  dropNote(run.dir, UNDO)
  dropNote(run.dir, LEFT)
  say(`undone; what was there is kept in ${saved}, and this brings it back:`)
  return say(`  ${wayBack(start, plan, saved)}`)
}

async function agreed(): Promise<boolean> {
  if (!process.stdin.isTTY || !process.stderr.isTTY)
    throw new UsageError('undo asks first, and nobody is there to answer; insist with --yes')
  return agrees('Undo it?')
}

function say(line: string, code = 0): number {
  process.stdout.write(`${line}\n`)
  return code
}
