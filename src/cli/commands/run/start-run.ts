import { statSync } from 'node:fs'
import { isAbsolute, join, resolve } from 'node:path'
import { UsageError } from '../../../core/usage-error.ts'
import { iterationsOf, prepare, startRun } from '../../../host/start.ts'
import type { Settings } from '../../../settings/schema.ts'
import { LIMITS, readNamedInput, UnreadableFile } from '../../../store/files/read.ts'
import { checkPattern } from '../../../workflows/run/done-pattern.ts'
import type { PromptSpec } from '../../../workflows/run/spec.ts'
import { promptWorkflow } from '../../../workflows/run/workflow.ts'
import { commandGuardrails, limitsOf } from '../../../workflows/spec.ts'
import type { RunOptions } from './command.ts'

/** `ralph run`, from its options to the end of the run. */
export async function startPrompt(options: RunOptions, agentCommand: string[]): Promise<number> {
  const { completionResponse } = options
  const iterations = iterationsOf(options)
  const prepared = prepare(options, agentCommand, {
    ...(iterations !== undefined && { maximumIterations: iterations }),
    ...(completionResponse !== undefined && { completionResponse }),
  })
  const { base } = prepared
  return startRun(
    promptWorkflow,
    prepared,
    {
      ...base,
      workflow: promptWorkflow.name,
      prompt: promptOf(options),
      condition: conditionOf(options, base.settings),
    },
    limitsOf(base.settings),
    options,
  )
}

/** How many iterations in a row that change nothing and leave the checks green are enough. */
const UNCHANGED = 2

/** When the run is done. The user's own `-c` or `--done-pattern` is the only condition there is. */
function conditionOf(options: RunOptions, settings: Settings): PromptSpec['condition'] {
  const { completionResponse, donePattern = null, untilGreen } = options
  const hasChecks = commandGuardrails(settings).length > 0
  const isOwn = completionResponse !== undefined || donePattern !== null
  if (untilGreen) {
    if (isOwn)
      throw new UsageError('--until-green is a condition of its own; leave out -c and --done-pattern')
    if (!hasChecks)
      throw new UsageError(
        '--until-green needs a check; add one with --check "npm test", or with: ralph init',
      )
    return { response: null, pattern: null, untilGreen }
  }
  if (donePattern !== null) checkPattern(donePattern)
  const response = settings.completionResponse.trim() || null
  const passesUnchanged = hasChecks && !isOwn && response !== null
  return { response, pattern: donePattern, ...(passesUnchanged && { unchanged: UNCHANGED }) }
}

function promptOf({ prompt, promptFile }: RunOptions): PromptSpec['prompt'] {
  if ((prompt === undefined) === (promptFile === undefined))
    throw new UsageError('give exactly one of --prompt (-p) and --prompt-file (-f)')
  if (promptFile === undefined) {
    if (prompt!.trim() === '') throw new UsageError('--prompt is empty')
    return { type: 'text', text: prompt! }
  }
  const path = isAbsolute(promptFile) ? promptFile : join(resolve('.'), promptFile)
  const text = readInput(path, `prompt file ${promptFile}`)
  // A pipe can be read only once.
  return statSync(path).isFile() ? { type: 'file', path } : { type: 'text', text }
}

/** Reads a file that the user named. `called` and `fix` are for the error message. */
export function readInput(
  path: string,
  called: string,
  fix = '',
  read: (path: string, limit: number) => Buffer = readNamedInput,
): string {
  try {
    return read(path, LIMITS.text).toString()
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code
    const why =
      error instanceof UnreadableFile
        ? error.why
        : ({ ENOENT: 'not found', EISDIR: 'is a folder, not a file' }[code ?? ''] ??
          `cannot be read (${code})`)
    throw new UsageError(`${called}: ${why}${fix === '' ? '' : `; ${fix}`}`)
  }
}
