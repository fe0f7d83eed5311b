import { join, relative } from 'node:path'
import { guarded, type ProtectedFiles } from '../checks/guarded.ts'
import { type Guardrail, guardrail } from '../checks/guardrail.ts'
import { slugsOf } from '../checks/message.ts'
import { watchTests } from '../checks/test-changes.ts'
import type { Check, Clock } from '../core/ports.ts'
import { textsAtStart } from '../git/kept-files.ts'
import type { FileWatch } from '../git/watch-files.ts'
import { type LockCheckOptions, repositoryCheck } from '../git/watch-head.ts'
import type { RunRunner } from '../runners/index.ts'
import { openNewFile } from '../store/files/new-file.ts'
import { LIMITS, textAt } from '../store/files/read.ts'
import type { Session } from '../store/session.ts'
import { commandGuardrails, type RunSpec } from '../workflows/spec.ts'

export type ChecksOptions = {
  locks: LockCheckOptions
  spec: RunSpec
  runner: RunRunner
  session: Session
  env: Record<string, string>
  protectedFiles: ProtectedFiles
  clock: Clock
}

/** The checks of every step, in the order they run. */
export function composeChecks(options: ChecksOptions): Check[] {
  const { settings, start } = options.spec
  const guardrails = commandChecks(commandGuardrails(settings), 'guardrail', options)
  return settings.scm && start ? [repositoryCheck(start, options.locks), ...guardrails] : guardrails
}

/** A check for each command. `kind` is the first word in the name of its log. */
export function commandChecks(
  commands: readonly Guardrail[],
  kind: string,
  { spec: { settings, project }, env, runner, session, protectedFiles, clock }: ChecksOptions,
): Check[] {
  const slugs = slugsOf(commands.map(({ command }) => command))
  return commands.map((command, index) => {
    const check = guardrail(command, {
      cwd: project,
      env,
      truncateAt: settings.outputTruncateChars,
      start: runner.startToFile,
      clock,
      logFor(id) {
        const n = String(session.numberOf(id)).padStart(3, '0')
        const path = join(session.folderOf(id), `${kind}_${n}_${slugs[index]}.log`)
        return { open: () => session.keep(path, openNewFile), shown: session.shown(path) }
      },
    })
    return guarded(check, protectedFiles)
  })
}

/** What casts doubt on green checks: that tests were weakened since the run began. */
export function composeDoubts(
  {
    spec: { project, settings, start },
    env,
    runDir,
  }: Pick<ChecksOptions, 'spec' | 'env'> & { runDir: string },
  { touched }: FileWatch,
) {
  const root = start?.root ?? project
  return watchTests({
    testChanges: settings.testChanges,
    folder: relative(root, project),
    read: path => textAt(join(root, path), { limit: LIMITS.text }),
    files: start && { touched, atStart: textsAtStart(start, runDir, env) },
  })
}
