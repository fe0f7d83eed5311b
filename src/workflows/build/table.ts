import type { StageTable } from '../../core/table.ts'
import { merging } from '../shared/merging.ts'

/** How often one task may end without being finished. */
const TRIES = 5
/** A bug-fix task never gets a bug-fix task itself. */
const FIX_TRIES = 3
/** The first answer and one repair. */
const PLAN_TRIES = 2

/** `ralph build`: refine the goal, decompose it, then do each task of the list. */
export function buildTable({
  bugs = 3,
  parallel = 1,
  isOnBranches = parallel > 1,
}: {
  bugs?: number
  parallel?: number
  /** Each task has a branch of its own. */
  isOnBranches?: boolean
} = {}): StageTable {
  const { after, order, stages } = merging(isOnBranches)
  return {
    name: 'build',
    first: 'work',
    width: parallel,
    ...(order.length > 0 && { order: [...order, 'refine', 'decompose', 'fix', 'work'] }),
    rounds: 0,
    bugs,
    bugStage: 'fix',
    stages: {
      refine: {
        role: 'planner',
        title: 'making the goal clear',
        listed: false,
        ends: 'signal',
        tries: PLAN_TRIES,
        on: { pass: 'decompose', more: 'refine', fail: 'refine', spent: 'decompose' },
      },
      decompose: {
        role: 'planner',
        title: 'making the list',
        listed: false,
        ends: 'checks',
        tries: PLAN_TRIES,
        on: { pass: 'done', more: 'decompose', fail: 'decompose', spent: 'blocked' },
      },
      work: {
        ends: 'checks',
        tries: TRIES,
        on: { pass: after, more: 'work', fail: 'bugfix', ask: 'blocked', spent: 'blocked' },
      },
      fix: {
        title: 'fixing',
        ends: 'checks',
        tries: FIX_TRIES,
        // It is made in the folder of its task, and merged with it.
        on: { pass: 'done', more: 'fix', fail: 'fix', ask: 'blocked', spent: 'blocked' },
      },
      ...stages,
    },
  }
}
