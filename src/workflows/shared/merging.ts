import type { Stage, StageName } from '../../core/table.ts'

/** How often a conflict may go back to an agent before the task is left for a person. */
const MAX_RESOLVES = 3

/** The branch may move while a merge is checked; then it is merged again. */
const MERGE_TRIES = 5

const MERGE = 'merge'
export const RESOLVE = 'resolve'

type Merging = {
  /** Where a task goes when its work is finished. */
  after: StageName
  /** What comes before the other stages. */
  order: StageName[]
  stages: Record<StageName, Stage>
}

/**
 * Tasks with worktrees have their own branches. A merge can fail, so it is a stage; resolving a conflict is
 * another stage, which a task may enter only a limited number of times.
 */
export const merging = (isOnBranches: boolean): Merging =>
  isOnBranches
    ? {
        after: MERGE,
        order: [RESOLVE, MERGE],
        stages: {
          [MERGE]: {
            by: 'ralph',
            title: 'merging',
            alone: MERGE,
            ends: 'checks',
            tries: MERGE_TRIES,
            on: { pass: 'done', more: MERGE, fail: RESOLVE, ask: 'blocked', spent: 'blocked' },
          },
          [RESOLVE]: {
            role: 'coder',
            title: 'resolving',
            // Nothing else is merged meanwhile: it would conflict with that, too, and begin again.
            alone: MERGE,
            ends: 'checks',
            tries: 2,
            visits: MAX_RESOLVES,
            on: { pass: MERGE, more: RESOLVE, fail: RESOLVE, ask: 'blocked', spent: 'blocked' },
          },
        },
      }
    : { after: 'done', order: [], stages: {} }

/** Whether a stage is one of those that bring the work of a task together with the others'. */
export const isMerging = (stage: StageName): boolean => stage === MERGE || stage === RESOLVE
