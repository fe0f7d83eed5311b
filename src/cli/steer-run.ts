import type { RunEvent } from '../core/events.ts'
import type { Control } from '../core/ports.ts'
import { UsageError } from '../core/usage-error.ts'
import { isAlive } from '../runners/proc.ts'
import { sendControl } from '../store/control.ts'
import { openJournal } from '../store/journal.ts'
import { canGoOn, findRun, latestUnfinished, ralphHome, type StoredRun } from '../store/runs.ts'
import type { SteerOptions } from './commands/steer.ts'
import { projectOf } from './project.ts'

/** Whether the process that sits over a run still lives. */
export function isLive({ events }: StoredRun): boolean {
  const by = events.findLast(e => e.type === 'began' || e.type === 'resumed')?.by
  return by !== undefined && isAlive(by)
}

export function pauseRun(name: string | undefined, options: SteerOptions): number {
  const run = runFor(name, options)
  if (!isLive(run)) throw new UsageError(`run ${run.id} is not at work; there is nothing to pause`)
  ask(run, { type: 'pause' })
  return say(`paused run ${run.id}: its agent finishes, then it waits for: ralph resume ${run.id}`)
}

/** A run that nobody sits over is ended in its journal. */
export function cancelRun(name: string | undefined, options: SteerOptions): number {
  const run = runFor(name, options)
  if (!canGoOn(run.events)) throw new UsageError(`run ${run.id} is finished already`)
  if (isLive(run)) ask(run, { type: 'cancel' })
  else record(run, { type: 'finished', at: Date.now(), result: 'cancelled', proof: null, why: 'cancelled' })
  return say(`cancelled run ${run.id}`)
}

export function tellRun(name: string, text: string, options: SteerOptions): number {
  const run = runFor(name, options)
  if (!canGoOn(run.events)) throw new UsageError(`run ${run.id} is finished; nobody would hear it`)
  if (text.trim() === '') throw new UsageError('the instruction is empty')
  if (isLive(run)) ask(run, { type: 'tell', text })
  else record(run, { type: 'told', at: Date.now(), text })
  return say(`told run ${run.id}; it stands in its prompts from the next iteration on`)
}

/** Wakes a run that is paused, or waits; a new sitting is not needed. */
export function wakeRun(run: StoredRun): number {
  ask(run, { type: 'resume' })
  return say(`resumed run ${run.id}`)
}

function runFor(name: string | undefined, options: SteerOptions): StoredRun {
  const home = ralphHome(process.env)
  if (name !== undefined) return findRun(home, name)
  const project = projectOf(options.projectDir)
  const run = latestUnfinished(home, project)
  if (!run) throw new UsageError(`no unfinished run in ${project}`)
  return run
}

const ask = (run: StoredRun, control: Control) => sendControl(run.dir, control, Date.now())

function record(run: StoredRun, event: RunEvent): void {
  const journal = openJournal(run.dir)
  journal.append(event)
  journal.close()
}

function say(line: string): number {
  process.stdout.write(`${line}\n`)
  return 0
}
