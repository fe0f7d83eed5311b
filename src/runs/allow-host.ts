import { UsageError } from '../core/usage-error.ts'
import { quote } from '../core/visible.ts'
import { BUNDLES } from '../runners/sandbox/policy.ts'
import { readBase } from '../workflows/spec.ts'
import { canGoOn, ralphHome } from './find.ts'
import type { Io } from './io.ts'
import { isLive } from './live.ts'
import { record, runFor, type SteerOptions, sendRequest, withStoppedRun } from './steer.ts'
import { refuseFromWithin, senderOf } from './within.ts'

/** `[RUN] HOST`: lets a run reach a host that its sandbox refused. */
export async function allowHost(words: string[], options: SteerOptions, io: Io): Promise<number> {
  const [host = '', name, ...more] = words.toReversed()
  if (more.length > 0) throw new UsageError('give one host, and at most one run before it')
  if (!/^[a-z\d-]+(\.[a-z\d-]+)*$/i.test(host))
    throw new UsageError(`${quote(host)} is not a host; give a name without https:// and without a path`)
  if (Object.hasOwn(BUNDLES, host))
    throw new UsageError(`${host} stands for several hosts, in sandbox.allowedDomains only; give one host`)
  const run = runFor(name, options, io.env)
  refuseFromWithin(run, io.env)
  if (!canGoOn(run.events)) throw new UsageError(`run ${run.id} is finished; nothing would use it`)
  if (!['srt', 'docker'].includes(readBase(run.began.pins).settings.sandbox.mode))
    throw new UsageError(`run ${run.id} works without a sandbox; it may reach any host`)
  if (isLive(run)) sendRequest(run, { type: 'allow', host }, io.env)
  else
    await withStoppedRun(ralphHome(io.env), run, () =>
      record(run, { type: 'allowed', at: Date.now(), host, from: senderOf(io.env) }),
    )
  io.stdout.write(`run ${run.id} may reach ${host} from now on\n`)
  return 0
}
