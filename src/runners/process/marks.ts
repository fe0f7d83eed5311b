import { createHash } from 'node:crypto'
import type { Env } from '../../core/ports.ts'
import type { StepId } from '../../core/table.ts'

/** What marks a process as one of a run: entries of its first environment, and a limit that it inherited. */
export type Marks = {
  run?: string
  step?: string
  /** One incarnation of a run. */
  incarnation?: string
  /** One started process and what descends from it. */
  call?: string
  /** The call that runs inside a sandbox. What is around it has no such mark. */
  inside?: string
  /** The hard limit of file locks, in digits. */
  limit?: string
}

/** The environment variable of what runs inside a sandbox. */
export const INSIDE = 'RALPH_INSIDE'

/** The environment variables of the marks. */
export const MARK_NAMES = {
  RALPH_RUN: 'run',
  RALPH_STEP: 'step',
  RALPH_INCARNATION: 'incarnation',
  RALPH_CALL: 'call',
  [INSIDE]: 'inside',
} as const

/** The step in an environment with marks. Null if the command belongs to none. */
export const stepIn = (env: Env): StepId | null =>
  /^\d+$/.test(env.RALPH_STEP ?? '') ? Number(env.RALPH_STEP) : null

/*
 * A process can clear its environment and leave its group and session, but it keeps its resource limits, which anybody
 * may read. Linux has not used the limit of file locks since 2.4, so a number there changes nothing. Without privileges a
 * process can only lower it.
 *
 * `prlimit` sets it, which costs about a millisecond for each process. Ralph could set it on itself, and its children
 * would inherit it. But then its own git, the user's hooks and what they start would carry it too, and once their parent
 * has exited, nothing would distinguish them from what an agent left.
 *
 * The number has 62 bits: the level, the run, the incarnation. The level is smaller in a ralph that runs inside a run.
 */
const INCARNATION_BITS = 20n
const RUN_BITS = 34n
const LEVEL_AT = INCARNATION_BITS + RUN_BITS
const TOP_LEVEL = 255n

const lowest = (bits: bigint, value: bigint): bigint => value & ((1n << bits) - 1n)

const bitsOf = (text: string): bigint => createHash('sha256').update(text).digest().readBigUInt64BE()

const runPart = (run: string): bigint => lowest(RUN_BITS, bitsOf(run))

/** The limit for the processes of an incarnation. `inherited`: ralph's own. Null if that is too low to set another. */
export function limitFor(run: string, incarnation: string, inherited: string | null): string | null {
  const level = inherited === null ? TOP_LEVEL : (BigInt(inherited) >> LEVEL_AT) - 1n
  if (level < 1n) return null
  const below = level > TOP_LEVEL ? TOP_LEVEL : level
  return String(
    (below << LEVEL_AT) | (runPart(run) << INCARNATION_BITS) | lowest(INCARNATION_BITS, bitsOf(incarnation)),
  )
}

/** Whether a limit was set by a run of this id, in any incarnation. */
export function isLimitOf(run: string, limit: string): boolean {
  const value = BigInt(limit)
  const level = value >> LEVEL_AT
  return level >= 1n && level <= TOP_LEVEL && lowest(RUN_BITS, value >> INCARNATION_BITS) === runPart(run)
}
