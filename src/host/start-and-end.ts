// What is recorded when a process takes up a run, and when it leaves it.

import type { ResumedAgent, RunEvent, Settled } from '../core/events.ts'
import { listPaths, plural } from '../core/format.ts'
import { reopen } from '../core/reopen.ts'
import type { Limits, RunState } from '../core/table.ts'
import type { Book } from '../engine/book.ts'
import type { LoopEnding } from '../engine/run.ts'
import { changedMeanwhile, type EndSnapshot, recordEnd } from '../git/end-snapshot.ts'
import { keepDirty } from '../git/kept-files.ts'
import { processRef } from '../runners/process/proc.ts'
import { LEFT } from '../runs/past-run.ts'
import { senderOf } from '../runs/within.ts'
import { bornAt, type PinnedFolder } from '../store/files/pinned.ts'
import { FORMAT } from '../store/journal-lines.ts'
import { readMemo, writeMemo } from '../store/memos.ts'
import { gitEnvironment, pinsOf, type RunSpec } from '../workflows/spec.ts'
import type { Active, Workflow } from '../workflows/workflow.ts'
import type { HostOptions } from './host.ts'

const NAMED = 3

/** Copies the user's uncommitted files for `ralph undo`. Returns a line about those that could not be kept. */
export function keepDirtyFiles({ start }: RunSpec, runDir: string): string[] {
  if (!start) return []
  const missing = keepDirty(start, runDir)
  if (missing.length === 0) return []
  return [
    `ralph undo will not be able to put back ${plural(missing.length, 'uncommitted file')} (too large, too many, or a repository): ${listPaths(missing, NAMED)}`,
  ]
}

/** Notes the repository as the run leaves it, so that later changes do not count as the run's. */
export async function noteEndState(
  { start, settings }: RunSpec,
  runDir: string,
  env: NodeJS.ProcessEnv,
): Promise<void> {
  const left = start && (await recordEnd(start, gitEnvironment(settings, env)))
  if (left) writeMemo(runDir, LEFT, left)
}

/** Says what was changed while the run was stopped: from now on it cannot be told from what the run changes. */
export async function noteChangesMeanwhile(
  { start, settings }: RunSpec,
  runDir: string,
  env: NodeJS.ProcessEnv,
): Promise<string[]> {
  const left = readMemo<EndSnapshot>(runDir, LEFT)
  if (!start || !left) return []
  const paths = await changedMeanwhile(start, left, gitEnvironment(settings, env))
  if (paths.length === 0) return []
  const commits = settings.scm?.tasks.some(task => /^commit\b/.test(task)) ? 'ralph commits it and ' : ''
  return [
    `changed since the run stopped: ${listPaths(paths, NAMED)}; that counts as the run's from now on, so ${commits}an undo takes it back`,
  ]
}

type Beginning = {
  id: string
  workflow: Workflow
  spec: RunSpec
  limits: Limits
  past: readonly RunEvent[]
  warnings: string[]
  env: NodeJS.ProcessEnv
  instruction?: string
  newAgent?: ResumedAgent
}

/** Records the first events of this incarnation: `began`, or `resumed` if the run has a past. */
export function recordBeginning(
  book: Book,
  active: Active,
  options: Beginning,
  { id: folder, path }: PinnedFolder,
): void {
  const { id, workflow, spec, limits, past } = options
  const at = Date.now()
  const by = processRef(process.pid)
  const born = bornAt(path)
  const place = { project: spec.project, folder, ...(born !== undefined && { born }) }
  if (past.length > 0) {
    const from = senderOf(options.env)
    const { newAgent } = options
    book.record({ type: 'resumed', at, limits, by, from, ...place, ...(newAgent && { agent: newAgent }) })
    const reopened = reopen(book.table, book.state, book.tasks, at)
    if (reopened) book.record(reopened)
    active.onResume?.()
    if (options.instruction) book.record({ type: 'instructed', at, text: options.instruction, from })
  } else {
    const { tasks, edits } = active.initialTasks(at)
    const { name } = workflow
    const pins = pinsOf(workflow, spec)
    // The place first: a search for the runs of a folder reads no further (`beganIn`).
    book.record({ type: 'began', at, v: FORMAT, id, ...place, workflow: name, limits, tasks, pins, by })
    for (const edit of edits) book.record(edit)
  }
  for (const note of options.warnings) book.record({ type: 'warned', at, note })
}

/**
 * Where the project's HEAD was when the run was last at work there, and where it was before the steps that are not applied
 * yet. Commits of steps that worked there count, and merges.
 */
export function lastCommits(
  past: readonly RunEvent[],
  { flight, unapplied }: RunState,
): { lastCommit: string | null; commitBefore: string | null } {
  const elsewhere = new Set(
    past.flatMap(e => (e.type === 'started' && e.workspace !== undefined ? [e.id] : [])),
  )
  const commits = past.flatMap(e =>
    e.type === 'merged' || (e.type === 'committed' && !elsewhere.has(e.id)) ? [e] : [],
  )
  const underWay = new Set([...Object.keys(flight), ...Object.keys(unapplied)].map(Number))
  return {
    lastCommit: commits.at(-1)?.to ?? null,
    commitBefore: commits.findLast(({ id }) => !underWay.has(id))?.to ?? null,
  }
}

/**
 * The exit code of a run that this process hosted: 0 the condition was reached, 1 it was not, 130 interrupted. `last`: the
 * iteration that was settled last.
 */
export function runExitCode(
  ending: LoopEnding,
  { workflow, spec, limits }: Pick<HostOptions, 'workflow' | 'spec' | 'limits'>,
  active: Active,
  last: Settled | null,
): 0 | 1 | 130 {
  if (ending.type === 'stopped') {
    if (ending.interrupted) return 130
    return active.stoppedAsPlanned?.() ? 0 : 1
  }
  if (spec.once) return endedGreen(last) ? 0 : 1
  if (ending.result === 'complete') return 0
  // With nothing to reach, using all iterations is what was asked.
  const hasCondition = workflow.describe(spec, limits).condition !== null
  return ending.result === 'exhausted' && !hasCondition ? 0 : 1
}

const endedGreen = (last: Settled | null): boolean =>
  last?.end === 'ok' && last.findings.every(f => f.verdict === 'pass')
