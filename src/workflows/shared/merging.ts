import type { Stage, StageName } from '../../core/table.ts'

/** How often a conflict may go back to an agent before the task is left for a person. */
const MAX_RESOLVES = 3

/**
 * Tasks that run in parallel have their own branches. A merge can fail, so it is a stage; resolving a conflict is
 * another stage, which a task may enter only a limited number of times.
 */
export const merging = (width: number): { after: StageName; stages: Record<StageName, Stage> } =>
  width <= 1
    ? { after: 'done', stages: {} }
    : {
        after: 'merge',
        stages: {
          merge: {
            by: 'ralph',
            ends: 'checks',
            tries: 2,
            on: { pass: 'done', more: 'merge', fail: 'resolve', spent: 'blocked' },
          },
          resolve: {
            role: 'coder',
            ends: 'checks',
            tries: 2,
            visits: MAX_RESOLVES,
            on: { pass: 'merge', more: 'resolve', fail: 'resolve', spent: 'blocked' },
          },
        },
      }
