import type { Stage, StageTable } from '../../core/table.ts'
import { merging } from '../shared/merging.ts'

const ORDER: readonly string[] = ['coder', 'reviewer', 'tester', 'qa']
const TRIES: Readonly<Record<string, number>> = { coder: 15, reviewer: 5, tester: 10, qa: 5 }
const OTHER_TRIES = 10

/** What a role does, in words. */
const TITLES: Readonly<Record<string, string>> = {
  coder: 'coding',
  reviewer: 'reviewing',
  tester: 'testing',
  qa: 'validating',
}

/** Roles that write: what is red after their work is theirs to mend. What others find goes back to the first role. */
const WRITERS = ['coder', 'tester']

/** `ralph pipeline`: each role loops until its promise is given and verified; a later one may send the work back. */
export function pipeline({
  roles = ORDER,
  tries = {},
  rounds = 3,
  parallel = 1,
}: {
  roles?: readonly string[]
  tries?: Readonly<Record<string, number>>
  rounds?: number
  parallel?: number
} = {}): StageTable {
  const { after, stages } = merging(parallel)
  const first = roles[0] ?? 'coder'
  const stageOf = (role: string, place: number): Stage => ({
    role,
    title: TITLES[role] ?? role,
    ends: 'signal',
    tries: tries[role] ?? TRIES[role] ?? OTHER_TRIES,
    ...(place > 0 && { rejects: true }),
    ...(place > 0 && !WRITERS.includes(role) && { failed: 'reject' }),
    on: {
      pass: roles[place + 1] ?? after,
      more: role,
      fail: role,
      ...(place > 0 && { reject: first, capped: 'blocked' }),
      ask: 'blocked',
      spent: 'blocked',
    },
  })
  return {
    name: 'pipeline',
    first,
    width: parallel,
    // Later stages first: a task is finished before the next one begins.
    order: [...roles].reverse(),
    // Sent back at most `rounds` times: the rejection after those is capped.
    rounds: rounds + 1,
    bugs: 0,
    stages: { ...Object.fromEntries(roles.map((role, place) => [role, stageOf(role, place)])), ...stages },
  }
}
