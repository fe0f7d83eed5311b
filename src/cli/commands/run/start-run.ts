import { statSync } from 'node:fs'
import { isAbsolute, join, resolve } from 'node:path'
import { UsageError } from '../../../core/usage-error.ts'
import { iterationsOf, prepare, startRun } from '../../../host/start.ts'
import { LIMITS, readNamedInput, UnreadableFile } from '../../../store/files/read.ts'
import { checkPattern } from '../../../workflows/run/done-pattern.ts'
import type { PromptSpec } from '../../../workflows/run/spec.ts'
import { promptWorkflow } from '../../../workflows/run/workflow.ts'
import { limitsOf } from '../../../workflows/spec.ts'
import type { RunOptions } from './command.ts'

/** `ralph run`, from its options to the end of the run. */
export async function startPrompt(options: RunOptions, agentCommand: string[]): Promise<number> {
  const { completionResponse, donePattern = null } = options
  const iterations = iterationsOf(options)
  const prepared = prepare(options, agentCommand, {
    ...(iterations !== undefined && { maximumIterations: iterations }),
    ...(completionResponse !== undefined && { completionResponse }),
  })
  if (donePattern !== null) checkPattern(donePattern)
  const { base } = prepared
  return startRun(
    promptWorkflow,
    prepared,
    {
      ...base,
      workflow: promptWorkflow.name,
      prompt: promptOf(options),
      condition: { response: base.settings.completionResponse.trim() || null, pattern: donePattern },
    },
    limitsOf(base.settings),
    options,
  )
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
