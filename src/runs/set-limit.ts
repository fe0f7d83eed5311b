import { fold } from '../core/evolve.ts'
import { UsageError } from '../core/usage-error.ts'
import { canGoOn, ralphHome, type StoredRun } from './find.ts'
import { type Io, say } from './io.ts'
import { isLive } from './live.ts'
import { record, runFor, type SteerOptions, sendRequest, withStoppedRun } from './steer.ts'
import { refuseFromWithin, senderOf } from './within.ts'

/**
 * `ralph set [RUN] max-iterations=200`: it holds from the next iteration on. Other limits of the run stay as they are.
 */
export async function setRun(typed: readonly string[], options: SteerOptions, io: Io): Promise<number> {
  const [first = '', ...others] = typed
  const [name, words] = first.includes('=') ? [undefined, typed] : [first, others]
  const run = runFor(name, options, io.env)
  refuseFromWithin(run, io.env)
  const iterations = iterationsIn(words)
  if (!canGoOn(run.events)) throw new UsageError(`run ${run.id} is finished; its limits no longer matter`)
  const { n } = fold(run.events).state
  if (iterations < n)
    throw new UsageError(
      `run ${run.id} has used ${n} iterations already; max-iterations must be at least ${n}`,
    )
  if (isLive(run)) sendRequest(run, { type: 'limit', iterations }, io.env)
  else await setStopped(run, iterations, io.env)
  return say(io.stdout, `run ${run.id} may use ${iterations} iterations, all counted`)
}

async function setStopped(run: StoredRun, iterations: number, env: NodeJS.ProcessEnv): Promise<void> {
  const from = senderOf(env)
  await withStoppedRun(ralphHome(env), run, events => {
    const limits = { ...fold(events).state.limits, iterations }
    record(run, { type: 'limits', at: Date.now(), limits, from })
  })
}

function iterationsIn(words: readonly string[]): number {
  const [word = '', ...others] = words
  const value = /^max[-_]iterations=(.*)$/.exec(word)?.[1]
  if (value === undefined || others.length > 0)
    throw new UsageError('ralph set takes one setting: max-iterations=N')
  const n = Number(value)
  if (!/^\d+$/.test(value) || n < 1 || !Number.isSafeInteger(n))
    throw new UsageError(`max-iterations: "${value}" is not a whole number of at least 1`)
  return n
}
