import { basename, join } from 'node:path'
import { lastLineOf, tailOf } from '../checks/excerpt.ts'
import { slugOf } from '../checks/message.ts'
import type { RunEvent, Settled } from '../core/events.ts'
import type { Clock } from '../core/ports.ts'
import type { StepId } from '../core/table.ts'
import { MESSAGE_PROMPT } from '../git/commit/commit-work.ts'
import { gitProgram } from '../git/git.ts'
import { lockIn } from '../git/locks/find.ts'
import type { LockWait } from '../git/locks/lasting.ts'
import { openScm, type ScmStep } from '../git/scm.ts'
import { findProgram } from '../runners/find-program.ts'
import type { RunRunner } from '../runners/index.ts'
import { runLogged } from '../runners/logged.ts'
import { resolveFlags } from '../settings/load.ts'
import { openNewFile } from '../store/files/growing.ts'
import type { Session } from '../store/session.ts'
import type { RunSpec } from '../workflows/spec.ts'
import type { AskAgent } from './agents/ask.ts'

const TIMEOUT_S = 900

export type ScmOptions = {
  spec: RunSpec
  runner: RunRunner
  session: Session
  /** Asks an agent for the message. */
  ask: AskAgent
  clock: Clock
  env: Record<string, string>
  record(event: RunEvent): void
  hard: AbortSignal
  /** Those of these paths that changed since, or while, they were checked. */
  unchecked(paths: readonly string[], step: Pick<Settled, 'tree'>): Promise<readonly string[]>
  /** How to wait for git's locks. */
  locks(): LockWait
  /** Ralph itself moved HEAD. */
  moved(to: string): void
}

/** Opens the SCM step of a run, anew for each use. Null if none is configured. */
export function composeScm(options: ScmOptions): (() => ScmStep) | null {
  const { spec, runner, session, hard } = options
  const { scm } = spec.settings
  if (!scm) return null
  const tasks = scm.tasks.map(task => resolveFlags([task]))
  const path = options.env.PATH ?? ''
  const { mode, checks } = spec.settings.sandbox
  // Docker's sandbox has another repository inside: the commit is made here, where its hooks must not run.
  const areHooksInside = checks === 'inside' && mode !== 'docker'
  const program =
    (scm.command === 'git' ? gitProgram(spec.project, path) : findProgram(scm.command, path)) ?? scm.command
  return () => {
    const say = (event: RunEvent) => {
      if (event.type === 'committed') options.moved(event.to)
      // After a hard signal everything fails; the next incarnation repeats it.
      if ((event.type === 'warned' || event.type === 'doubted') && hard.aborted) return
      options.record(event)
    }
    const ask = async (id: StepId, changes: string) => {
      const question = {
        role: 'message',
        prompt: MESSAGE_PROMPT,
        mode: 'text',
        withoutTools: changes,
      } as const
      const { ok, text } = await options.ask(question, id, spec.project)
      return ok ? text : ''
    }
    const run = async (argv: string[], id: StepId, input: string, log: string): Promise<string | null> => {
      const n = String(session.numberOf(id)).padStart(3, '0')
      const name = `scm_${n}_${slugOf(basename(scm.command))}_${slugOf(log)}.log`
      const path = join(session.folderOf(id), name)
      const command = {
        argv,
        cwd: spec.project,
        env: { ...options.env, GIT_TERMINAL_PROMPT: '0' },
        stdin: input,
        // A push needs the network and the user's keys; a commit runs hooks, which are checks.
        ...((log !== 'commit' || !areHooksInside) && {
          unconfined: true as const,
        }),
      }
      const kept = {
        open: () => session.keep(path, openNewFile),
        // Git's own words about a lock end in advice.
        excerpt: (fd: number) => complaintIn(tailOf(fd)) ?? lastLineOf(fd),
        timeout: TIMEOUT_S,
        clock: options.clock,
      }
      const { failure, excerpt } = await runLogged(runner.startToFile, command, id, kept, hard)
      return failure && `${failure}: ${excerpt} (${session.shown(path)})`
    }
    return openScm(
      { command: scm.command, program, tasks, ...(mode === 'docker' && { noHooks: true }) },
      spec.start,
      options.env,
      {
        record: say,
        now: () => Date.now(),
        ask,
        unchecked: options.unchecked,
        run,
        locks: options.locks,
      },
    )
  }
}

const complaintIn = (log: string): string | undefined =>
  log.split('\n').findLast(line => lockIn(line) !== null)
