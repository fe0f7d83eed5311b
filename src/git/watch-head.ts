import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Finding, RunEvent } from '../core/events.ts'
import type { Check } from '../core/ports.ts'
import type { StepId } from '../core/table.ts'
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
 * Whether something in the repository is unfinished. Another branch than at the start, or no repository any more,
 * is said, not blamed: the prompt may have asked for it. It proves nothing about the work.
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
    return { finding: finding('pass', movedNote(start)), exit: null }
  },
})

function movedNote({ dirs, branch: before }: Start): string {
  // Protected files in it may have been put back: the folder alone says nothing.
  if (!existsSync(join(dirs.own, 'HEAD'))) return 'the repository is gone'
  const branch = readHead(dirs)?.branch ?? null
  if (branch === before) return ''
  return branch === null ? 'HEAD is detached' : `the branch is now ${branch}`
}
