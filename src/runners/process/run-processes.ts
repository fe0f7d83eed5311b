import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import type { Env } from '../../core/ports.ts'
import type { StepId } from '../../core/table.ts'
import { isNoRoom, whenRoom } from '../../core/trouble/no-room.ts'
import type { Sandbox } from '../sandbox/sandbox.ts'
import { isLimitOf, limitFor, type Marks } from './marks.ts'
import type { ProcessStart } from './proc.ts'
import { readLimit } from './procfs.ts'
import { groupLives } from './tree.ts'
import type { Warden } from './warden.ts'

export type ProcessRunnerOptions = {
  run: string
  graceMs: number
  mark?: Env
  /** What everything is started in, unless it must stay outside. */
  sandbox?: Sandbox
}

/** The processes of one run in one incarnation. */
export type Processes = Readonly<ProcessRunnerOptions> & {
  readonly incarnation: string
  readonly marks: Env
  readonly ownMarks: Env & { RALPH_CALL: string }
  readonly limit: LimitMark
  readonly warden: Warden
  /** The process groups that may still have members, by their leader's pid. */
  readonly groups: Map<number, { startTime: string; step: string }>
  /** The first process of each step since its last sweep: nothing older is left of any of them. */
  readonly firstProcesses: Map<string, ProcessStart>
  /** The steps of the calls since the last sweep of each step. */
  readonly stepsByCall: Map<string, string>
  /** The step of each process that was started and has not exited. */
  readonly running: Map<string, string>
  /** The stops in progress, with their step: a sweep waits for them, so they get the full grace. */
  readonly stopping: Map<Promise<void>, string>
  calls: number
  closed: boolean
}

/** Whether a process belongs to this incarnation. Any one mark is enough: it may have changed the others. */
export const isOfIncarnation = ({ incarnation, limit }: Processes, found: Marks): boolean =>
  found.incarnation === incarnation ||
  found.call?.startsWith(`${incarnation}.`) === true ||
  (found.limit !== undefined && found.limit === limit.value)

/** Whether a process belongs to this run, in any incarnation. */
export const isOfRun = (processes: Processes, found: Marks): boolean =>
  found.run === processes.run ||
  isOfIncarnation(processes, found) ||
  (found.limit !== undefined && isLimitOf(processes.run, found.limit))

/** Whether ralph itself runs a process, git for example. Those are not started here, so they have no limit of the run's. */
export const isRalphs = ({ run, ownMarks }: Processes, found: Marks): boolean =>
  found.call === ownMarks.RALPH_CALL && (found.limit === undefined || !isLimitOf(run, found.limit))

/**
 * Whether a process is to go with a step. It belongs to the step that started it, or else to the one that it names. If
 * neither was started since its last sweep, it hides where it comes from, and goes with any step, unless another one is
 * at work, which it may belong to.
 */
export function isOfStep(processes: Processes, { call, step: named }: Marks, step: string): boolean {
  const { stepsByCall, firstProcesses, running } = processes
  const known = call === undefined ? undefined : stepsByCall.get(call)
  const from = known ?? (named === step || firstProcesses.has(named ?? '') ? named : undefined)
  return from === undefined ? ![...running.values()].some(other => other !== step) : from === step
}

/** The leaders of all known groups, with their start times. */
export const allLeaders = ({ groups }: Processes): Map<number, string> =>
  new Map([...groups].map(([pgid, { startTime }]) => [pgid, startTime]))

/** The leaders of the known groups that still have members. The others are forgotten. */
export function liveLeaders(
  processes: Processes,
  isWanted: (group: [number, { step: string }]) => boolean,
): Map<number, string> {
  const leaders = new Map<number, string>()
  for (const group of processes.groups) {
    const [pgid, { startTime }] = group
    if (!isWanted(group)) continue
    if (groupLives(pgid)) leaders.set(pgid, startTime)
    else release(processes, pgid)
  }
  return leaders
}

/** Forgets a group that has no members any more. */
export function release({ groups, warden }: Processes, pgid: number): void {
  groups.delete(pgid)
  warden.drop(pgid)
}

/** Processes outside any step (the baseline checks) must not match a step's mark. */
export const stepName = (id: StepId | null): string => (id === null ? 'none' : String(id))

/** From util-linux. A folder that an agent can write to must not replace it. */
const PRLIMIT = ['/usr/bin/prlimit', '/bin/prlimit', '/run/current-system/sw/bin/prlimit']

/** The mark of an incarnation that its processes keep when they clear their environment. */
export type LimitMark = {
  /** In digits. Null if there is none. */
  value: string | null
  /** The words before a command that set it. Empty where the system cannot. */
  prefix(): Promise<string[]>
}

export function limitMark(run: string, incarnation: string): LimitMark {
  const program = PRLIMIT.find(path => existsSync(path))
  const value = program === undefined ? null : limitFor(run, incarnation, readLimit('self'))
  if (program === undefined || value === null) return { value: null, prefix: async () => [] }
  const prefix = [program, `--locks=${value}`, '--']
  // A sandbox may forbid it, or have no such limit. Then nothing could be started, so it is tried first.
  const canSet = () => canRun([...prefix, 'cat', '/proc/self/limits'], value)
  const tried = whenRoom(program, delay, canSet).then(works => (works ? prefix : []))
  // Those who ask for the prefix get the error.
  tried.catch(() => {})
  return { value, prefix: () => tried }
}

const canRun = ([program = '', ...args]: string[], value: string): Promise<boolean> =>
  new Promise((resolve, reject) => {
    execFile(program, args, { env: { PATH: '/usr/bin:/bin' }, cwd: '/' }, (error, out) => {
      if (isNoRoom(error)) reject(error)
      else resolve(!error && out.includes(` ${value} `))
    })
  })
