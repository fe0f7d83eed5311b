import type { Finding, RunEvent } from '../core/events.ts'
import type { Check } from '../core/ports.ts'
import type { StepId } from '../core/workflow.ts'
import { type GitDirs, readHead, unfinished } from './head.ts'
import type { Start } from './start.ts'

/** Follows HEAD: commits the agent made itself are put on record by their range. */
export function watchHead(
  start: Start,
  known: string | null,
  tell: (event: RunEvent) => void,
  now: () => number,
) {
  let last = known
  return {
    /** Somebody else than the agent moved it: not to be told as the agent's. */
    moved(to: string): void {
      last = to
    },
    look(id: StepId): void {
      const to = readHead(start.dirs)?.commit ?? null
      if (to === null || to === last) return
      tell({ type: 'committed', at: now(), id, by: 'agent', from: last, to })
      last = to
    },
  }
}

/** What somebody began in a repository and did not finish, and what to do about it; null: all is in order. */
export function disorderOf(dirs: GitDirs): string | null {
  const trouble = unfinished(dirs)
  return trouble && `The git repository is not in order: ${trouble}. Finish or undo it.`
}

/**
 * Whether the repository is in a state to commit to. Another branch than at the start is said, not blamed:
 * the prompt may have asked for it. It proves nothing about the work.
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
    const disorder = disorderOf(start.dirs)
    if (disorder) return { finding: finding('fail', disorder), exit: null }
    const branch = readHead(start.dirs)?.branch ?? null
    const note =
      branch === start.branch ? '' : branch === null ? 'HEAD is detached' : `the branch is now ${branch}`
    return { finding: finding('pass', note), exit: null }
  },
})
