import type { StageTable } from '../../core/table.ts'

/** `ralph stories`: implement, review, fix. An agent with a fresh context reviews: no agent approves its own work. */
export function storiesTable({
  skip = false,
  cap = 5,
  atCap = 'approve',
  submitWithin = 6,
  verdictWithin = 3,
}: {
  skip?: boolean
  cap?: number
  atCap?: 'approve' | 'block'
  /** Iterations that a story may take until it is submitted, or fixed. */
  submitWithin?: number
  /** Reviews in a row that a story may take until one gives a verdict. */
  verdictWithin?: number
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
        tries: submitWithin,
        on: { pass: skip ? 'done' : 'review', more: 'implement', fail: 'implement', spent: 'blocked' },
      },
      review: {
        role: 'reviewer',
        title: 'reviewing',
        ends: 'verdict',
        failed: 'reject',
        tries: verdictWithin,
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
        tries: submitWithin,
        on: { pass: 'review', more: 'fix', fail: 'fix', spent: 'blocked' },
      },
    },
  }
}
