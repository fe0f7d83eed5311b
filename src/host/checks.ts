import { createHash, randomBytes } from 'node:crypto'
import { join, relative } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import {
  type CommandOptions,
  type Guardrail,
  guardrail,
  type LogFor,
  runCommand,
} from '../checks/guardrail.ts'
import { type JudgedWork, type JudgeOptions, judgeCriteria } from '../checks/judge/judge.ts'
import { slugOf, slugsOf } from '../checks/message.ts'
import { watchTests } from '../checks/test-changes.ts'
import { type VerificationTools, verificationCheck } from '../checks/verification.ts'
import type { Finding, RunEvent } from '../core/events.ts'
import type { Check, Clock } from '../core/ports.ts'
import type { Criterion } from '../core/verification/method.ts'
import { textsAtStart } from '../git/kept-files.ts'
import type { Snapshots } from '../git/snapshots.ts'
import type { FileWatch } from '../git/watch-files.ts'
import { type LockCheckOptions, repositoryCheck } from '../git/watch-head.ts'
import type { RunRunner } from '../runners/index.ts'
import { openNewFile } from '../store/files/growing.ts'
import { realWithin } from '../store/files/paths.ts'
import { LIMITS, textAt } from '../store/files/read.ts'
import type { Session } from '../store/session.ts'
import { commandGuardrails, guardrailCriteria, type RunSpec } from '../workflows/spec.ts'

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
export function composeChecks(options: ChecksOptions, judging: Judging): Check[] {
  const { settings, start } = options.spec
  const guardrails = [
    ...commandChecks(commandGuardrails(settings), options),
    ...criteriaChecks(guardrailCriteria(settings), options, { ...judging, onJudgeError: 'again' }),
  ]
  return settings.scm && start ? [repositoryCheck(start, options.locks), ...guardrails] : guardrails
}

/** Where the user's own commands run if there is a sandbox. */
export const confinementOf = ({ sandbox }: RunSpec['settings']): CommandOptions['confinement'] =>
  sandbox.checks === 'outside' ? { unconfined: true } : { online: true }

const commandOptions = ({
  spec: { settings, project },
  env,
  runner,
  clock,
}: ChecksOptions): CommandOptions => ({
  cwd: project,
  env,
  truncateAt: settings.outputTruncateChars,
  start: runner.startToFile,
  clock,
  confinement: confinementOf(settings),
})

/** Where the log of a command goes. `kind` is the first word of its name. */
function logOf(session: Session, kind: string, slug: string): LogFor {
  return id => {
    const n = String(session.numberOf(id)).padStart(3, '0')
    const path = join(session.folderOf(id), `${kind}_${n}_${slug}.log`)
    return { open: () => session.keep(path, openNewFile), shown: session.shown(path) }
  }
}

/** A check for each command. */
function commandChecks(commands: readonly Guardrail[], options: ChecksOptions): Check[] {
  const slugs = slugsOf(commands.map(({ command }) => command))
  return commands.map((command, index) => {
    const log = logOf(options.session, 'guardrail', slugs[index]!)
    return guarded(guardrail(command, commandOptions(options), log), options.protectedFiles)
  })
}

/** What a judge needs, whatever it judges. */
export type Judging = Omit<JudgeOptions, 'onJudgeError'>

/** What asking a judge takes of this process, wherever it judges. */
export const judgeTools = (
  { maxLimitWait }: RunSpec['settings'],
  clock: Clock,
): Pick<JudgeOptions, 'nonce' | 'clock' | 'sleep' | 'limitWaitMs'> => ({
  nonce: () => randomBytes(9).toString('hex'),
  clock,
  sleep: (ms, signal) => delay(ms, undefined, { signal }).catch(() => {}),
  limitWaitMs: maxLimitWait * 1000,
})

/** What the work is compared with: a tree of the run, or the one that it began with. */
export async function judgedWork(
  snapshots: Snapshots | null,
  since: string | undefined,
): Promise<JudgedWork> {
  if (!snapshots) return { diff: null, isInTree: async () => false }
  const tree = await snapshots.take()
  const diff = await snapshots.diff(since ?? (await snapshots.atStart()), tree)
  return { diff, isInTree: text => snapshots.contains(tree, text) }
}

/** A check for each criterion of a workflow, and for each guardrail that names a method. */
export function criteriaChecks(
  criteria: readonly Criterion[],
  options: ChecksOptions,
  judging: JudgeOptions,
): Check[] {
  const { project, settings } = options.spec
  return criteria.map(({ name, verification, isLast = false, since, failed = 'Verification failed' }) => {
    const run: VerificationTools['run'] = (config, work, signal) => {
      const slug = slugOf(config.command)
      // Two commands with the same beginning need two logs.
      const log = logOf(options.session, 'criterion', `${slug.slice(0, 40)}_${hashOf(config.command)}`)
      const cwd = realFolder(project, config.working_dir)
      return runCommand(config, { ...commandOptions(options), cwd }, log, work, signal)
    }
    const tools: VerificationTools = {
      run,
      judge: (config, work, signal) =>
        judgeCriteria(config, work, { since, isTwice: isLast }, judging, signal),
      truncateAt: settings.outputTruncateChars,
    }
    return guarded(verificationCheck({ name, verification, failed }, tools), options.protectedFiles)
  })
}

/** A folder inside the project, also if links are followed. Anything else does not exist: then the command cannot run. */
const realFolder = (project: string, folder: string): string =>
  folder === '.'
    ? project
    : join(project, realWithin(project, folder) ?? `${folder} is not a folder inside the project`)

const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 6)

/** What casts doubt on green checks: that tests were weakened since the run began. */
export function composeDoubts(
  {
    spec: { project, settings, start },
    env,
    runDir,
    clock,
    record,
  }: Pick<ChecksOptions, 'spec' | 'env' | 'clock'> & { runDir: string; record(event: RunEvent): void },
  { touched }: FileWatch,
) {
  const root = start?.root ?? project
  return watchTests({
    testChanges: settings.testChanges,
    folder: relative(root, project),
    read: path => textAt(join(root, path), { limit: LIMITS.text }),
    files: start && { touched, atStart: textsAtStart(start, runDir, env) },
    warn: note => record({ type: 'warned', at: clock.now(), note }),
  })
}

/** Protected files as a check needs them. */
export type ProtectedFiles = {
  /** Resolves once their right state is known. */
  taken(): Promise<void>
  /** Puts back what changed. Returns its description, which ends a sentence, or null if nothing changed. */
  restore(): Promise<string | null>
}

/**
 * A check may run the agent's code, which could change what the next check judges by. So protected files are put back
 * after each check, before the next one starts, and a check during which they changed is red.
 */
const guarded = (check: Check, files: ProtectedFiles): Check => ({
  ...check,
  async run(work, signal) {
    await files.taken()
    const ran = await check.run(work, signal)
    const restored = await files.restore()
    return restored === null ? ran : { ...ran, finding: spoiled(ran.finding, restored) }
  },
})

function spoiled(finding: Finding, restored: string): Finding {
  const note = `Protected files were changed while "${finding.check}" ran, and have been put back: ${restored}. No code that a check runs may change them.`
  return {
    ...finding,
    verdict: 'fail',
    note: finding.verdict === 'fail' ? `${note}\n${finding.note}` : note,
    action: finding.action ?? 'APPEND',
  }
}
