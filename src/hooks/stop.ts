import { spawnSync } from 'node:child_process'
import { renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { LIMITS, readRegularFile, textAt } from '../store/files/read.ts'
import { type GateInput, judgeStop } from '../workflows/stories/rules/gate.ts'
import { type HookInput, runHook } from './run-hook.ts'
import { sessionFolder } from './session-folder.ts'
import { findStoryLoop, projectFolder, type StoryLoop } from './story-loop.ts'

/** After this many blocks in a row claude stops anyway, with an empty answer. */
const DEFAULT_CAP = 8

const GIT_MS = 30_000
const GIT_BYTES = 64 * 1024 * 1024

runHook('Stop', input => {
  const loop = findStoryLoop(projectFolder(input, process.env), process.env)
  return loop && answerTo(loop, input)
})

function answerTo({ project, folder, name, rules }: StoryLoop, input: HookInput): object | null {
  const { errors, warnings } = judgeStop(rules, {
    folder: name,
    tasks: readTasks(join(folder, 'tasks.json')),
    status: gitStatus(project),
    // Only ralph reads the words of a review.
    ...(process.env.RALPH_RUN && { message: input.last_assistant_message }),
  })
  const warning = warnings.length > 0 ? { systemMessage: `ralph: ${warnings.join('; ')}` } : {}
  if (errors.length === 0) return warnings.length > 0 ? warning : null
  const { mayBlock, blocks } = countBlocks(input, process.env)
  if (mayBlock) return { decision: 'block', reason: errors.join('\n\n'), ...warning }
  // Beyond its own limit claude would stop without an answer, and the iteration would be lost.
  return {
    systemMessage: `ralph: the Stop gate lets this iteration end after ${blocks} ${blocks === 1 ? 'block' : 'blocks'}, although: ${errors.join(' ')}`,
  }
}

/** In a run of ralph nobody is watching, so an unreadable list blocks the agent; elsewhere the hook itself fails. */
function readTasks(path: string): GateInput['tasks'] {
  try {
    return readRegularFile(path, { limit: LIMITS.text }).toString()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    if (process.env.RALPH_RUN) return { unreadable: (error as Error).message }
    throw new Error(`${path} cannot be read: ${(error as Error).message}`, { cause: error })
  }
}

/** Returns null outside a repository, or if git fails: then uncommitted files are not checked. */
function gitStatus(cwd: string): string | null {
  const safe = ['--no-optional-locks', '-c', 'core.fsmonitor=false', '-c', 'safe.bareRepository=explicit']
  const args = ['status', '--porcelain', '-z', '--untracked-files=all']
  const { status, stdout } = spawnSync('git', [...safe, ...args], {
    cwd,
    encoding: 'utf8',
    timeout: GIT_MS,
    maxBuffer: GIT_BYTES,
  })
  return status === 0 ? stdout : null
}

/**
 * Counts a block if one more is allowed. The limit is below claude's own, so that an iteration always ends with an
 * answer. Claude resets its count at every tool call; this count is not reset, so blocking always ends.
 */
function countBlocks(
  { session_id, stop_hook_active = false }: HookInput,
  env: Record<string, string | undefined>,
): { mayBlock: boolean; blocks: number } {
  let file: string
  try {
    file = join(sessionFolder(session_id), 'blocks')
  } catch {
    // Without a count, block only once.
    return { mayBlock: !stop_hook_active, blocks: 1 }
  }
  // In a run of ralph a session has a single prompt. A person can send another prompt, which resets the count.
  const blocks = env.RALPH_RUN || stop_hook_active ? readCount(file) : 0
  const mayBlock = blocks < Math.max(readCap(env) - 1, 1)
  if (mayBlock) replace(file, String(blocks + 1))
  return { mayBlock, blocks }
}

function readCap({ CLAUDE_CODE_STOP_HOOK_BLOCK_CAP: cap }: Record<string, string | undefined>): number {
  const number = Number(cap)
  // To claude 0 means no cap; here it means the default, so that the gate cannot block forever.
  return Number.isInteger(number) && number > 0 ? number : DEFAULT_CAP
}

function readCount(file: string): number {
  return Number(textAt(file, { limit: LIMITS.small })) || 0
}

function replace(file: string, text: string): void {
  const temporary = `${file}.${process.pid}`
  writeFileSync(temporary, text, { mode: 0o600 })
  renameSync(temporary, file)
}
