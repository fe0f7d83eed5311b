import type { Stage, StageTable } from '../../core/table.ts'
import { merging } from '../shared/merging.ts'

/** How often a stage may be tried. */
const TRIES = new Map([
  ['coder', 15],
  ['reviewer', 5],
  ['tester', 10],
  ['qa', 5],
])
const OTHER_TRIES = 10

/** How often the stage of a role may be tried if the settings do not say it. */
export const triesOf = (role: string): number => TRIES.get(role) ?? OTHER_TRIES

/** Roles that only look, as ralph knows them. */
const READERS: readonly string[] = ['reviewer', 'qa']

/** Whether a role may change files. */
export const mayWrite = ({ name, writes }: { name: string; writes?: boolean }): boolean =>
  writes ?? !READERS.includes(name)

/** The role that work is sent back to. */
export const sendsBackTo = (roles: readonly string[]): string =>
  roles.includes('coder') ? 'coder' : (roles[0] ?? 'coder')

/** Whether a role comes after that one, and so may send work back. */
export const maySendBack = (roles: readonly string[], role: string): boolean =>
  roles.indexOf(role) > roles.indexOf(sendsBackTo(roles))

const ORDER: readonly string[] = ['coder', 'reviewer', 'tester', 'qa']

/** What a role does, in words. */
const TITLES: Readonly<Record<string, string>> = {
  coder: 'coding',
  reviewer: 'reviewing',
  tester: 'testing',
  qa: 'validating',
}

/** `ralph pipeline`: each role loops until its promise is given and verified; a later one may send the work back. */
export function pipelineTable({
  roles = ORDER,
  tries = {},
  rounds = 3,
  parallel = 1,
  readers = READERS,
  isOnBranches = parallel > 1,
}: {
  roles?: readonly string[]
  tries?: Readonly<Record<string, number>>
  rounds?: number
  parallel?: number
  /** Roles that change nothing: what is red after their work goes back, because others have to fix it. */
  readers?: readonly string[]
  /** Each task has a branch of its own. */
  isOnBranches?: boolean
} = {}): StageTable {
  const { after, order, stages } = merging(isOnBranches)
  const first = roles[0] ?? 'coder'
  const backTo = sendsBackTo(roles)
  const stageOf = (role: string, place: number): Stage => ({
    role,
    title: TITLES[role] ?? role,
    ends: 'signal',
    tries: tries[role] ?? triesOf(role),
    ...(maySendBack(roles, role) && { rejects: true }),
    ...(maySendBack(roles, role) && readers.includes(role) && { failed: 'reject' }),
    on: {
      pass: roles[place + 1] ?? after,
      more: role,
      fail: role,
      ...(maySendBack(roles, role) && { reject: backTo, capped: 'blocked' }),
      ask: 'blocked',
      spent: 'blocked',
    },
  })
  return {
    name: 'pipeline',
    first,
    width: parallel,
    // Later stages first: a task is finished before the next one begins.
    order: [...order, ...[...roles].reverse()],
    // Sent back at most `rounds` times: the rejection after those is capped.
    rounds: rounds + 1,
    bugs: 0,
    stages: { ...Object.fromEntries(roles.map((role, place) => [role, stageOf(role, place)])), ...stages },
  }
}
