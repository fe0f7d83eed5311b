import type { Stage, StageName } from '../../core/table.ts'

/** How often a conflict may go back to an agent before the task is left for a person. */
const RESOLVES = 3

/**
 * Tasks that were worked on side by side have branches of their own. Bringing one in has a
 * result, so it is a stage; a conflict gets a stage, too, and the way back is bounded.
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
            visits: RESOLVES,
            on: { pass: 'merge', more: 'resolve', fail: 'resolve', spent: 'blocked' },
          },
        },
      }
