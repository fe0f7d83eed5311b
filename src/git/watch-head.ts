import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Finding, RunEvent } from '../core/events.ts'
import type { Check } from '../core/ports.ts'
import type { StepId } from '../core/table.ts'
import { type GitDirs, readHead, unfinishedOperation } from './head.ts'
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
    look(id: StepId): void {
      const to = readHead(start.dirs)?.commit ?? null
      if (to === null || to === last) return
      record({ type: 'committed', at: now(), id, by: 'agent', from: last, to })
      last = to
    },
  }
}

/** What is unfinished in a repository and what to do about it, for a prompt; null if all is in order. */
export function repositoryProblem(dirs: GitDirs): string | null {
  const operation = unfinishedOperation(dirs)
  return operation && `The git repository is not in order: ${operation}. Finish or undo it.`
}

/**
 * Fails if something in the repository is unfinished. A changed branch or a missing repository is only noted, because the
 * prompt may have asked for it. A pass proves nothing about the work.
 */
export const repositoryCheck = (start: Start): Check => ({
  name: 'git',
  async run() {
    const finding = (verdict: Finding['verdict'], note: string): Finding => ({
      check: 'git',
      verdict,
      note,
      ...(verdict === 'fail' ? { action: 'APPEND' } : { claim: true }),
    })
    const problem = repositoryProblem(start.dirs)
    if (problem) return { finding: finding('fail', problem), exit: null }
    return { finding: finding('pass', movedNote(start)), exit: null }
  },
})

function movedNote({ dirs, branch: before }: Start): string {
  // The folder alone proves nothing: it may exist because protected files in it were put back.
  if (!existsSync(join(dirs.own, 'HEAD'))) return 'the repository is gone'
  const branch = readHead(dirs)?.branch ?? null
  if (branch === before) return ''
  return branch === null ? 'HEAD is detached' : `the branch is now ${branch}`
}
