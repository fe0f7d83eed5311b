import type { Sender } from '../core/events.ts'
import { UsageError } from '../core/usage-error.ts'
import { isLimitOf, type Marks } from '../runners/process/marks.ts'
import { isAlive, lineage, marksOf, type ProcessEntry, processes } from '../runners/process/proc.ts'
import { ralphHome, runIds, type StoredRun } from './find.ts'
import { hostOf, isLive } from './live.ts'

/**
 * An agent or a check may call ralph. It must not act as the person does on the run that it works for, so such commands
 * refuse. A call comes from within a run if it, or a process that it descends from, carries a mark of the run or is one
 * of the run's processes.
 */
export function refuseFromWithin(run: StoredRun, env: NodeJS.ProcessEnv): void {
  const { id } = run
  const family = lineage()
  const marks = [ownMarks(env), ...marksOf(family)]
  if (!marks.some(found => isOf(id, found)) && !descendsFrom(run, family.slice(1))) return
  throw new UsageError(
    `refused: this was called from within run ${id}, and an agent must not steer its own run; a person can, in another terminal`,
  )
}

/** The same for what is not about one run: it is refused from within any run of this home. */
export function refuseFromWithinAny(home: string, env: NodeJS.ProcessEnv, what: string): void {
  const [id] = runsAround(home, env)
  if (id !== undefined)
    throw new UsageError(
      `refused: this was called from within run ${id}, and only a person may ${what}; do it in another terminal`,
    )
}

/** The process that calls, for the record. */
export function senderOf(env: NodeJS.ProcessEnv): Sender {
  const named = [ownMarks(env), ...marksOf(lineage())].flatMap(({ run }) => run ?? [])
  const within = [...new Set([...named, ...runsAround(ralphHome(env), env)])]
  const { pid } = process
  return { pid, terminal: processes.terminal(pid), ...(within.length > 0 && { within }) }
}

function runsAround(home: string, env: NodeJS.ProcessEnv): string[] {
  const marks = [ownMarks(env), ...marksOf(lineage())]
  // A run of another home is none of this one's: ralph may be developed by an agent of ralph.
  return marks.every(({ run, limit }) => run === undefined && limit === undefined)
    ? []
    : runIds(home).filter(id => marks.some(found => isOf(id, found)))
}

const ownMarks = (env: NodeJS.ProcessEnv): Marks =>
  env.RALPH_RUN === undefined ? {} : { run: env.RALPH_RUN }

const isOf = (id: string, { run, limit }: Marks): boolean =>
  run === id || (limit !== undefined && isLimitOf(id, limit))

/** Whether one of these processes hosts the run, or is an agent that it started. */
function descendsFrom(run: StoredRun, family: readonly ProcessEntry[]): boolean {
  const agents = run.events.flatMap(event => (event.type === 'spawned' ? event.ref : []))
  const host = isLive(run) ? hostOf(run) : undefined
  return [...agents, ...(host ? [host] : [])].some(
    ref => family.some(({ pid }) => pid === ref.pid) && isAlive(ref),
  )
}
