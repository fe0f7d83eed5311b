import type { StageTable } from '../../core/table.ts'

/** Iterations that one story may take until it is submitted, or fixed. */
const WORK_TRIES = 6
/** Reviews without a verdict. */
const REVIEW_TRIES = 3

/** `ralph stories`: implement, review, fix. An agent with a fresh context reviews: no agent approves its own work. */
export function stories({
  skip = false,
  cap = 5,
  atCap = 'approve',
}: {
  skip?: boolean
  cap?: number
  atCap?: 'approve' | 'block'
} = {}): StageTable {
  return {
    name: 'stories',
    first: 'implement',
    width: 1,
    order: ['fix', 'review', 'implement'],
    rounds: cap,
    bugs: 0,
    stages: {
      implement: {
        role: 'coder',
        title: 'implementing',
        ends: 'signal',
        tries: WORK_TRIES,
        on: { pass: skip ? 'done' : 'review', more: 'implement', fail: 'implement', spent: 'blocked' },
      },
      review: {
        role: 'reviewer',
        title: 'reviewing',
        ends: 'verdict',
        failed: 'reject',
        tries: REVIEW_TRIES,
        on: {
          pass: 'done',
          more: 'review',
          reject: 'fix',
          capped: atCap === 'approve' ? 'done' : 'blocked',
          spent: 'blocked',
        },
      },
      fix: {
        role: 'coder',
        title: 'fixing',
        ends: 'signal',
        tries: WORK_TRIES,
        on: { pass: 'review', more: 'fix', fail: 'fix', spent: 'blocked' },
      },
    },
  }
}
