import type { StageTable } from '../../core/table.ts'
import { merging } from '../shared/merging.ts'

/** Inactive endings that one task may have. */
const TRIES = 5
/** A bug-fix task never gets one of its own. */
const FIX_TRIES = 3
/** The decomposition and one repair of it. */
const PLAN_TRIES = 2

/** `ralph build`: a goal is refined and decomposed, then the list is worked off. */
export function tasks({ bugs = 3, parallel = 1 }: { bugs?: number; parallel?: number } = {}): StageTable {
  const { after, stages } = merging(parallel)
  return {
    name: 'tasks',
    first: 'work',
    width: parallel,
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
        on: { pass: after, more: 'fix', fail: 'fix', ask: 'blocked', spent: 'blocked' },
      },
      ...stages,
    },
  }
}
