import type { Stage, StageTable } from '../../src/core/table.ts'
import { merging } from '../../src/workflows/shared/merging.ts'

type PipelineRole = 'coder' | 'reviewer' | 'tester' | 'qa'

const ORDER: readonly PipelineRole[] = ['coder', 'reviewer', 'tester', 'qa']
const TRIES: Record<PipelineRole, number> = { coder: 15, reviewer: 5, tester: 10, qa: 5 }

/** `ralph pipeline`: each role loops until its promise is given and verified; a later one may send the work back. */
export function pipeline({
  roles = ORDER,
  tries = {},
  rounds = 3,
  parallel = 1,
}: {
  roles?: readonly PipelineRole[]
  tries?: Partial<Record<PipelineRole, number>>
  rounds?: number
  parallel?: number
} = {}): StageTable {
  const { after, stages } = merging(parallel)
  const first = roles[0] ?? 'coder'
  const stageOf = (role: PipelineRole, place: number): Stage => ({
    role,
    ends: 'signal',
    tries: tries[role] ?? TRIES[role],
    ...(place > 0 && { rejects: true }),
    on: {
      pass: roles[place + 1] ?? after,
      more: role,
      fail: role,
      ...(place > 0 && { reject: first, capped: 'blocked' }),
      spent: 'blocked',
    },
  })
  return {
    name: 'pipeline',
    first,
    width: parallel,
    // Sent back at most `rounds` times: the rejection after those is capped.
    rounds: rounds + 1,
    bugs: 0,
    stages: { ...Object.fromEntries(roles.map((role, place) => [role, stageOf(role, place)])), ...stages },
  }
}
