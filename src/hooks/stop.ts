import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { LIMITS, readRegularFile } from '../store/files/read.ts'
import { type GateInput, judgeStop } from '../workflows/stories/rules/gate.ts'
import { countBlocks } from './count-blocks.ts'
import { type HookInput, runHook } from './run-hook.ts'
import { findStoryLoop, projectFolder, type StoryLoop } from './story-loop.ts'

const GIT_MS = 30_000
const GIT_BYTES = 64 * 1024 * 1024

runHook('Stop', input => {
  const loop = findStoryLoop(projectFolder(input, process.env), process.env)
  return loop && judge(loop, input)
})

function judge({ project, folder, name, rules }: StoryLoop, input: HookInput): object | null {
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
