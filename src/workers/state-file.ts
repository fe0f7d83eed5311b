import { existsSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import type { RunEvent } from '../core/events.ts'
import { fold } from '../core/evolve.ts'
import { findRun } from '../runs/find.ts'
import { appendEvents, withStoppedRun } from '../runs/steer.ts'
import { type WorkerRecord, workerDir } from '../runs/worker-record.ts'
import { replaceFile } from '../store/files/atomic.ts'
import { LIMITS, textAt } from '../store/files/read.ts'
import { watchFolder } from '../store/files/watch-folder.ts'
import { FILES } from './folder.ts'
import { lookAtWorker, type WorkerLook } from './look.ts'
import { evolveState, readEdit, type WorkerState } from './rules/state.ts'

/** An editor that saves may remove the file for a moment, or write it bit by bit. */
const GONE_MS = 5000
const BROKEN_MS = 1000

export type StateFileOptions = {
  dir: string
  state: WorkerState
  /** Somebody wrote another number of iterations into it. */
  onLimit(iterations: number): void
  /** Somebody removed it: the worker is to stop. */
  onGone(): void
  /** Something was wrong with it, and it was written again. */
  onBroken(note: string): void
}

/**
 * Keeps `state.json`: a projection of the journal, written whole. What people change in it is noticed when it happens,
 * and before it is written again.
 */
export function keepState(options: StateFileOptions): { onEvent(event: RunEvent): void; close(): void } {
  const path = join(options.dir, FILES.state)
  let { state } = options
  let written: string | null = null
  let timer: NodeJS.Timeout | null = null

  function write(): void {
    const text = `${JSON.stringify(state, null, 2)}\n`
    if (text === written) return
    replaceFile(path, text, 0o600)
    written = text
  }

  /** Looks whether somebody changed the file. `isLast`: there was time enough to finish that. */
  function checkForEdit(isLast = false): void {
    const text = textAt(path, { limit: LIMITS.small })
    const isGone = text === null && !existsSync(path)
    const edit = text === null ? { error: 'it cannot be read' } : readEdit(text)
    if (text === written) stopWaiting()
    else if (isGone && isLast) options.onGone()
    else if (isGone) wait(GONE_MS)
    else if (!('error' in edit)) adopt(text, edit.maxIterations)
    else if (isLast) rebuild(edit.error)
    else wait(BROKEN_MS)
  }

  function adopt(text: string | null, iterations: number | null | undefined): void {
    stopWaiting()
    written = text
    if (iterations !== undefined && iterations !== null && iterations !== state.max_iterations)
      options.onLimit(iterations)
  }

  function rebuild(why: string): void {
    stopWaiting()
    const aside = `${path}.broken`
    renameSync(path, aside)
    written = null
    write()
    options.onBroken(`${path} cannot be used: ${why}; it is now ${aside}, and was written again`)
  }

  function wait(ms: number): void {
    if (timer) return
    timer = setTimeout(() => {
      timer = null
      checkForEdit(true)
    }, ms)
  }

  function stopWaiting(): void {
    if (timer) clearTimeout(timer)
    timer = null
  }

  write()
  const stopWatching = watchFolder(options.dir, file => {
    if (file === FILES.state || file === null) checkForEdit()
  })
  return {
    onEvent(event) {
      const next = evolveState(state, event)
      if (next === state) return
      checkForEdit()
      state = next
      // While it is gone or broken, it is not written: that would hide what somebody did.
      if (timer === null) write()
    },
    close() {
      stopWaiting()
      stopWatching()
    },
  }
}

/** Records the number of iterations that somebody wrote into the state file while no process hosted the worker. */
export async function adoptEditedLimit(home: string, record: WorkerRecord): Promise<void> {
  const text = textAt(join(workerDir(home, record.name), FILES.state), { limit: LIMITS.small })
  const edit = text === null ? { error: 'it is gone' } : readEdit(text)
  const iterations = 'error' in edit ? undefined : edit.maxIterations
  if (iterations === undefined || iterations === null) return
  if (iterations === lastWritten(lookAtWorker(home, record))) return
  const run = findRun(home, record.run)
  await withStoppedRun(home, run, events => {
    const limits = { ...fold(events).state.limits, iterations }
    appendEvents(run, { type: 'limits', at: Date.now(), limits, by: 'file' })
  })
}

/** What the last supervisor wrote. A limit that was set without one is not in the file. */
const lastWritten = ({ events }: WorkerLook): number | null =>
  fold(events.filter(event => event.type !== 'limits' || event.request !== undefined)).state.limits.iterations
