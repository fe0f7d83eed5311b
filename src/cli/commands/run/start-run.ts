import { existsSync, statSync } from 'node:fs'
import { isAbsolute, join, resolve } from 'node:path'
import { isatty } from 'node:tty'
import { isObject } from '../../../core/json.ts'
import { UsageError } from '../../../core/usage-error.ts'
import { quote } from '../../../core/visible.ts'
import { iterationLimit, prepare, startRun } from '../../../host/start.ts'
import type { Io } from '../../../runs/io.ts'
import type { Settings } from '../../../settings/schema.ts'
import { LIMITS, readNamedInput, readStandardInput, UnreadableFile } from '../../../store/files/read.ts'
import { checkPattern, matches } from '../../../workflows/run/done-pattern.ts'
import type { PromptSpec } from '../../../workflows/run/spec.ts'
import { runWorkflow } from '../../../workflows/run/workflow.ts'
import { checkNames, limitsOf } from '../../../workflows/spec.ts'
import type { RunOptions } from '../../verbs/run.ts'
import { asWorker } from '../spawn/as-worker.ts'
import { withScreen } from '../watch/run-screen.ts'

/** `ralph run`, from its options to the end of the run. */
export async function startPrompt(
  words: readonly string[],
  typed: RunOptions,
  agentCommand: string[],
  io: Io,
): Promise<number> {
  refuseWords(words, typed)
  const options = withScreen(asWorker(typed, io), io)
  const { completionResponse } = options
  const iterations = iterationLimit(options)
  const prepared = prepare(options, agentCommand, {
    ...(iterations !== undefined && { maximumIterations: iterations }),
    ...(completionResponse !== undefined && { completionResponse }),
  })
  const { base } = prepared
  const prompt = promptOf(options)
  const condition = conditionOf(options, base.settings, prepared.fromFiles)
  return startRun(
    runWorkflow,
    prepared,
    {
      ...base,
      workflow: runWorkflow.name,
      prompt: prompt.spec,
      condition,
    },
    limitsOf(base.settings),
    options,
    [...prompt.notes, ...aboutPattern(condition.pattern, prompt.text)],
  )
}

/** An agent that repeats its prompt must not end the run by that. */
const aboutPattern = (pattern: string | null, prompt: string): string[] =>
  pattern !== null && matches(pattern, prompt)
    ? [
        "--done-pattern matches the prompt itself, so an agent that repeats the prompt's words ends the run; choose words that are not in the prompt",
      ]
    : []

/** The prompt is an option, which people forget, or type without quotes. */
function refuseWords(words: readonly string[], { prompt, promptFile }: RunOptions): void {
  if (words.length === 0) return
  const [all, first] = [[...(prompt === undefined ? [] : [prompt]), ...words].join(' '), words[0]!]
  throw new UsageError(
    promptFile === undefined
      ? `ralph run takes its prompt with -p, in quotes: ralph run -p ${quote(all)}`
      : `ralph run does not know what to do with ${quote(first)}; the prompt is in ${promptFile}`,
  )
}

/** How many iterations in a row that change nothing and leave the checks green are enough. */
const UNCHANGED = 2

/** When the run is done. The user's own `-c` or `--done-pattern` is the only condition there is. */
function conditionOf(options: RunOptions, settings: Settings, fromFiles: unknown): PromptSpec['condition'] {
  const { completionResponse, donePattern = null, untilGreen } = options
  const hasChecks = checkNames(settings).length > 0
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
  // A worker has no condition but what somebody gave it: without one it uses all its iterations.
  const isGiven = !options.detach || completionResponse !== undefined || setsResponse(fromFiles)
  const response = (isGiven && settings.completionResponse.trim()) || null
  const passesUnchanged = hasChecks && !isOwn && response !== null
  return { response, pattern: donePattern, ...(passesUnchanged && { unchanged: UNCHANGED }) }
}

const setsResponse = (fromFiles: unknown): boolean =>
  isObject(fromFiles) && fromFiles.completionResponse !== undefined

/** The prompt, and what people should know about it. */
function promptOf({ prompt, promptFile }: RunOptions): {
  spec: PromptSpec['prompt']
  text: string
  notes: string[]
} {
  if ((prompt === undefined) === (promptFile === undefined))
    throw new UsageError(
      'give exactly one of --prompt (-p) and --prompt-file (-f), as in: ralph run -p "Make the tests pass"',
    )
  if (promptFile === undefined) {
    if (prompt!.trim() === '') throw new UsageError('--prompt is empty')
    return { spec: { type: 'text', text: prompt! }, text: prompt!, notes: [] }
  }
  if (promptFile === '-') {
    if (isatty(0))
      throw new UsageError('-f - reads the prompt from standard input; pipe it in, or give it with -p')
    const text = readInput('-', 'the prompt on standard input', '', (_, limit) => readStandardInput(limit))
    if (text.trim() === '') throw new UsageError('the prompt on standard input is empty')
    return { spec: { type: 'text', text }, text, notes: [] }
  }
  const path = isAbsolute(promptFile) ? promptFile : join(resolve('.'), promptFile)
  if (!existsSync(path)) throw new UsageError(`prompt file not found: ${promptFile}`)
  const text = readInput(path, `cannot read prompt file ${promptFile}`)
  const notes =
    text.trim() === '' ? [`prompt file ${promptFile} is empty; it is read again for every iteration`] : []
  // A pipe can be read only once.
  return { spec: statSync(path).isFile() ? { type: 'file', path } : { type: 'text', text }, text, notes }
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
