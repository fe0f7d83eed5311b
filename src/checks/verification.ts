import { givesPromise } from '../core/completion.ts'
import type { Exit, Finding } from '../core/events.ts'
import type { Check, CheckWork } from '../core/ports.ts'
import type { CommandRun } from '../core/verification/finding.ts'
import type {
  ExternalConfig,
  MultiStageConfig,
  SemanticConfig,
  SingleVerification,
  Verification,
  VerificationStage,
} from '../core/verification/method.ts'
import { truncate } from './message.ts'
import { externalFailure } from './rules/external.ts'

/** The result of one method. */
export type Verified = {
  verdict: Finding['verdict']
  reason: string
  /** Nothing but the agent's word. */
  claim?: true
  /** Nobody could decide: that is not the agent's fault. */
  undecided?: true
  /** A judge thinks so. */
  opinion?: true
  /** Which CLI judged, and whether it is the one that writes the code. */
  judgedBy?: string
  exit?: Exit | null
  log?: string
  /** What the command printed, if that explains the failure. */
  output?: string
}

/** What the methods need. */
export type VerificationTools = {
  run(config: ExternalConfig, work: CheckWork | null, signal: AbortSignal): Promise<CommandRun>
  judge(config: SemanticConfig, work: CheckWork, signal: AbortSignal): Promise<Verified>
  truncateAt: number
}

export type VerificationSpec = {
  /** The name of the check. */
  name: string
  verification: Verification
  /** How a failure begins in the next prompt. */
  failed: string
}

/** A check that verifies a claim. The methods and their reasons are those of the documentation. */
export function verificationCheck(spec: VerificationSpec, tools: VerificationTools): Check {
  const { name, verification } = spec
  return {
    name,
    ...(verification.method === 'external' && { ofTree: true }),
    ...(usesJudge(verification) && { afterGreen: true }),
    async run(work, signal) {
      const verified = await verify(verification, tools, work, signal)
      return { finding: findingOf(spec, verified), exit: verified.exit ?? null }
    },
  }
}

const usesJudge = (verification: Verification): boolean =>
  verification.method === 'multi_stage'
    ? verification.config.stages.some(stage => usesJudge(stage.verification))
    : verification.method === 'semantic'

function findingOf({ name, failed }: VerificationSpec, verified: Verified): Finding {
  const { verdict, reason, claim, undecided, opinion, judgedBy, log, output } = verified
  const lines = [
    `${failed}: ${reason}`,
    log && `Output file: ${log}`,
    output && `Output (truncated):\n${output}`,
  ]
  return {
    check: name,
    verdict,
    note: verdict === 'pass' ? reason : lines.filter(Boolean).join('\n'),
    ...(log !== undefined && { log }),
    ...(verdict !== 'pass' && { action: 'APPEND' as const }),
    ...(claim && { claim }),
    ...(undecided && { undecided }),
    ...(opinion && verdict === 'fail' && { opinion }),
    ...(judgedBy !== undefined && { judgedBy }),
  }
}

function verify(
  verification: Verification,
  tools: VerificationTools,
  work: CheckWork | null,
  signal: AbortSignal,
): Promise<Verified> {
  return verification.method === 'multi_stage'
    ? verifyStages(verification.config, tools, work, signal)
    : verifySingle(verification, tools, work, signal)
}

async function verifySingle(
  verification: SingleVerification,
  tools: VerificationTools,
  work: CheckWork | null,
  signal: AbortSignal,
): Promise<Verified> {
  switch (verification.method) {
    case 'string_match':
      return matchPromise(verification.promise, work?.text ?? '')
    case 'external':
      return verifyExternal(verification.config, tools, work, signal)
    case 'semantic':
      // Before the first iteration there is nothing to judge.
      if (work === null) return { verdict: 'unsure', reason: 'Nothing was done yet', undecided: true }
      return { ...(await tools.judge(verification.config, work, signal)), opinion: true }
    default:
      return verification satisfies never
  }
}

const matchPromise = (promise: string, text: string): Verified =>
  givesPromise(text, promise)
    ? { verdict: 'pass', reason: 'Promise found in output', claim: true }
    : { verdict: 'fail', reason: `Promise '${promise}' not found in output`, claim: true }

async function verifyExternal(
  config: ExternalConfig,
  { run, truncateAt }: VerificationTools,
  work: CheckWork | null,
  signal: AbortSignal,
): Promise<Verified> {
  const ran = await run(config, work, signal)
  const why = externalFailure(config, ran)
  const { exit, log } = ran
  if (why === null) return { verdict: 'pass', reason: 'External verification passed', exit, log }
  return {
    verdict: 'fail',
    reason: `${why} (${config.command.trim()})`,
    exit,
    log,
    output: truncate(ran.head, truncateAt),
  }
}

type Staged = VerificationStage & { verified: Verified }

/** One stage after the other. Stages beside each other that are `parallel` run together. */
async function verifyStages(
  { stages, require_all }: MultiStageConfig,
  tools: VerificationTools,
  work: CheckWork | null,
  signal: AbortSignal,
): Promise<Verified> {
  const results: Staged[] = []
  for (const group of groupsOf(stages)) {
    const verified = await Promise.all(
      group.map(stage => verifySingle(stage.verification, tools, work, signal)),
    )
    results.push(...group.map((stage, index) => ({ ...stage, verified: verified[index]! })))
    const failed = results.find(isFailed)
    if (failed && require_all)
      return { ...failed.verified, reason: `Stage '${failed.name}' failed: ${failed.verified.reason}` }
  }
  return foldStages(results)
}

/** Stages that run together. */
function groupsOf(stages: readonly VerificationStage[]): VerificationStage[][] {
  const groups: VerificationStage[][] = []
  for (const stage of stages) {
    const last = groups.at(-1)
    if (stage.parallel && last?.every(({ parallel }) => parallel)) last.push(stage)
    else groups.push([stage])
  }
  return groups
}

const isFailed = ({ required, verified }: Staged): boolean => required && verified.verdict === 'fail'

function foldStages(results: readonly Staged[]): Verified {
  const named = (all: readonly Staged[]) =>
    all.map(({ name, verified }) => `${name}: ${verified.reason}`).join('; ')
  const failed = results.filter(isFailed)
  if (failed.length > 0) {
    const { log, output, exit } = failed[0]!.verified
    const opinion = failed.every(({ verified }) => verified.opinion) && { opinion: true as const }
    return {
      verdict: 'fail',
      reason: `Failed stages: ${named(failed)}`,
      log,
      output,
      exit: exit ?? null,
      ...opinion,
    }
  }
  const undecided = results.filter(({ required, verified }) => required && verified.verdict === 'unsure')
  if (undecided.length > 0)
    return { verdict: 'unsure', reason: `Undecided stages: ${named(undecided)}`, undecided: true }
  const warnings = results.filter(({ verified }) => verified.verdict !== 'pass')
  const warned = warnings.length === 0 ? '' : `. Warnings: ${named(warnings)}`
  // A matched promise alone proves nothing.
  const judgedBy = results.find(({ verified }) => verified.judgedBy)?.verified.judgedBy
  const isClaim = results.every(({ required, verified }) => !required || verified.claim)
  return {
    verdict: 'pass',
    reason: `All ${results.length} verification stages passed${warned}`,
    ...(isClaim && { claim: true }),
    ...(judgedBy !== undefined && { judgedBy }),
  }
}
