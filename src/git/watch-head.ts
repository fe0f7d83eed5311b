import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Finding, RunEvent } from '../core/events.ts'
import type { Check, CheckWork } from '../core/ports.ts'
import type { StepId } from '../core/table.ts'
import { type GitDirs, readBranch, readHead, unfinishedOperation } from './head.ts'
import { describeLocks, findLocks } from './locks/find.ts'
import { type LockRemoval, lastingLocks } from './locks/lasting.ts'
import type { Start } from './start.ts'

/** Follows HEAD, and journals the range of commits that the agent made itself. */
export function watchHead(
  start: Start,
  known: string | null,
  record: (event: RunEvent) => void,
  now: () => number,
) {
  let last = known
  return {
    /** Call it when something else moved HEAD, so that it does not count as the agent's. */
    moved(to: string): void {
      last = to
    },
    recordCommits(id: StepId): void {
      const to = readHead(start.dirs)?.commit ?? null
      if (to === null || to === last) return
      record({ type: 'committed', at: now(), id, by: 'agent', from: last, to })
      last = to
    },
  }
}

const DISORDER = 'The git repository is not in order:'

/** What is unfinished in a repository and what to do about it, for a prompt. Null if all is in order. */
export function repositoryProblem(dirs: GitDirs): string | null {
  const operation = unfinishedOperation(dirs)
  return operation && `${DISORDER} ${operation}. Finish or undo it.`
}

/**
 * Fails if something in the repository is unfinished, or if a lock that lasts keeps git from committing. A changed branch
 * or a missing repository is only noted, because the prompt may have asked for it. A pass proves nothing about the work.
 */
export const repositoryCheck = (start: Start, options: LockCheckOptions): Check => ({
  name: GIT_CHECK,
  async run(work, hard) {
    const problem = repositoryProblem(start.dirs) ?? (await lockProblem(start, options, work, hard))
    if (problem) return { finding: gitFinding('fail', problem), exit: null }
    return { finding: gitFinding('pass', movedNote(start)), exit: null }
  },
})

/** The same for locks alone. Null if there is none now, so that it costs nothing. */
export const lockCheck = (start: Start, options: LockCheckOptions): Check | null =>
  findLocks(start.dirs).length === 0
    ? null
    : {
        name: GIT_CHECK,
        async run(work, hard) {
          const problem = await lockProblem(start, options, work, hard)
          return { finding: gitFinding(problem ? 'fail' : 'pass', problem ?? ''), exit: null }
        },
      }

export const GIT_CHECK = 'git'

export type LockCheckOptions = {
  /** Paths are shown relative to it. */
  project: string
  /** How a lock may be removed. Absent if none is. */
  removal?: (since: number) => LockRemoval
}

async function lockProblem(
  { dirs }: Start,
  { project, removal }: LockCheckOptions,
  work: CheckWork | null,
  hard: AbortSignal,
): Promise<string | null> {
  const locks = await lastingLocks(dirs, { hard, ...(work && removal && { removal: removal(work.step.at) }) })
  return locks.length > 0
    ? `${DISORDER} ${describeLocks(locks, project)}. Until then nothing can be committed.`
    : null
}

const gitFinding = (verdict: Finding['verdict'], note: string): Finding => ({
  check: GIT_CHECK,
  verdict,
  note,
  ...(verdict === 'fail' ? { action: 'APPEND' } : { claim: true }),
})

function movedNote({ dirs, branch: before }: Start): string {
  // The folder alone proves nothing: it may exist because protected files in it were put back.
  if (!existsSync(join(dirs.own, 'HEAD'))) return 'the repository is gone'
  const branch = readBranch(dirs)
  if (branch === before) return ''
  return branch === null ? 'HEAD is detached' : `the branch is now ${branch}`
}
