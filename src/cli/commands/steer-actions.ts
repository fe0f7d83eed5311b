import { fold } from '../../core/evolve.ts'
import { findTaskId } from '../../core/task.ts'
import { UsageError } from '../../core/usage-error.ts'
import { quote } from '../../core/visible.ts'
import { BUNDLES } from '../../runners/sandbox/policy.ts'
import { matchingRuns, ralphHome, type StoredRun } from '../../runs/find.ts'
import { type Io, printAnswer } from '../../runs/io.ts'
import {
  allowHost as allow,
  dropTask,
  limitRun,
  runFor,
  type SteerOptions,
  tellRun as tell,
} from '../../runs/steer.ts'
import { readWorker } from '../../runs/worker-record.ts'
import { steer } from '../../workers/steer.ts'

export const pauseByName = async (name: string | undefined, options: SteerOptions, io: Io): Promise<number> =>
  printAnswer(await steer(name, 'pause', io.env, options), io)

/** `[RUN]`, or one task of it: `[RUN]/TASK`. */
export async function cancelByName(
  named: string | undefined,
  options: SteerOptions,
  io: Io,
): Promise<number> {
  const [name, ...words] = named?.split('/') ?? []
  if (words.length === 0) return printAnswer(await steer(name, 'cancel', io.env, options), io)
  const run = runFor(name || undefined, options, io.env)
  const word = words.join('/')
  const task = taskOf(run, word)
  if (task === null) throw new UsageError(`run ${run.id} has no task ${word}; see: ralph status ${run.id}`)
  return printAnswer(await dropTask(run, task, io.env), io)
}

/** `[RUN] [TASK] TEXT`: the first of several words may name a run, and the next one a task. */
export async function tellByName(words: string[], options: SteerOptions, io: Io): Promise<number> {
  const isNamed = words.length > 1 && looksLikeRun(words[0]!, ralphHome(io.env))
  const run = runFor(isNamed ? words[0] : undefined, options, io.env)
  const [first = '', ...rest] = isNamed ? words.slice(1) : words
  const task = rest.length > 0 ? taskOf(run, first) : null
  const text = (task === null ? [first, ...rest] : rest).join(' ')
  return printAnswer(await tell(run, text, task, io.env), io)
}

const taskOf = ({ events }: StoredRun, word: string): string | null => findTaskId(fold(events).tasks, word)

/**
 * An id has a date and three characters at its end. A word that could be part of one must be: as text, a mistyped id
 * would go to another run. So must an empty one, as from a variable that was never set.
 */
const looksLikeRun = (word: string, home: string): boolean =>
  /^(?:\s*|(?=.*\d)[\da-z-]{3,})$/.test(word) ||
  readWorker(home, word) !== null ||
  (word.length > 2 && matchingRuns(home, word).length > 0)

/** `[RUN] max-iterations=200`: it holds from the next iteration on. Other limits of the run stay as they are. */
export async function setLimitByName(
  typed: readonly string[],
  options: SteerOptions,
  io: Io,
): Promise<number> {
  const [first = '', ...others] = typed
  const [name, words] = first.includes('=') ? [undefined, typed] : [first, others]
  const run = runFor(name, options, io.env)
  return printAnswer(await limitRun(run, iterationsIn(words), io.env), io)
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

/** `[RUN] HOST`: lets a run reach a host that its sandbox refused. */
export async function allowByName(words: string[], options: SteerOptions, io: Io): Promise<number> {
  const [host = '', name, ...more] = words.toReversed()
  if (more.length > 0) throw new UsageError('give one host, and at most one run before it')
  if (!/^[a-z\d-]+(\.[a-z\d-]+)*$/i.test(host))
    throw new UsageError(`${quote(host)} is not a host; give a name without https:// and without a path`)
  if (Object.hasOwn(BUNDLES, host))
    throw new UsageError(`${host} stands for several hosts, in sandbox.allowedDomains only; give one host`)
  return printAnswer(await allow(runFor(name, options, io.env), host, io.env), io)
}
