import { UsageError } from '../../../core/usage-error.ts'
import { type CommonOptions, iterationLimit } from '../../../host/start.ts'
import { ralphHome } from '../../../runs/find.ts'
import type { Io } from '../../../runs/io.ts'
import { warn } from '../../../terminal/print.ts'
import { checkSpawn, nameFor, type SpawnOptions, workerLaunch } from '../../../workers/spawn.ts'

/** Options of a terminal, which a worker in the background does not have. */
const OF_A_TERMINAL = ['json', 'quiet', 'verbose', 'tui'] as const

const MANY = 50

/**
 * What was typed for a workflow, so that it becomes a worker if that was asked for. `isParallel`: its tasks may have
 * worktrees of their own.
 */
export function asWorker<Options extends CommonOptions & SpawnOptions>(
  options: Options,
  io: Io,
  { isParallel = false } = {},
): Options {
  const { detach, foreground, name } = options
  if (options.parallel !== undefined && !isParallel)
    throw new UsageError(
      '--parallel is for ralph build and ralph pipeline, which have tasks; here one iteration follows another',
    )
  if (!detach) {
    const worktree = isParallel ? undefined : options.worktree
    const flags = { '--foreground': foreground, '--worktree': worktree, '--name': name }
    const alone = Object.entries(flags).find(([, value]) => value)?.[0] ?? null
    if (alone !== null)
      throw new UsageError(`${alone} is for workers; add --detach, or start the worker with: ralph spawn`)
    return options
  }
  const odd = foreground ? undefined : OF_A_TERMINAL.find(option => options[option])
  if (odd !== undefined)
    throw new UsageError(
      `--${odd} is about what this terminal shows, and a worker in the background has none; see it with: ralph watch, ralph logs, ralph attach`,
    )
  if (options.worktree && options.branch !== undefined)
    throw new UsageError('--worktree makes a branch of its own, named as the worker; leave out --branch')
  const home = ralphHome(io.env)
  checkSpawn(options, home, io.env)
  if ((iterationLimit(options) ?? 0) > MANY)
    warn(`high iteration count (>${MANY}) may consume significant resources`)
  return { ...options, ...workerLaunch({ ...options, name: nameFor(options, home) }, io) }
}
