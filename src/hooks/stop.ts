import { spawnSync } from 'node:child_process'
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { judgeStop, type Looked } from '../workflows/stories/rules/gate.ts'
import { countBlocks } from './count-blocks.ts'
import { answer, type HookInput } from './run-hook.ts'
import { findStoryLoop, projectOf, type StoryLoop } from './story-loop.ts'

const GIT_MS = 30_000
const GIT_BYTES = 64 * 1024 * 1024

answer('Stop', input => {
  const loop = findStoryLoop(projectOf(input, process.env), process.env)
  return loop && judge(loop, input)
})

function judge({ project, folder, name, rules }: StoryLoop, input: HookInput): object | null {
  const { errors, warnings } = judgeStop(rules, {
    folder: name,
    tasks: readTasks(join(folder, 'tasks.json')),
    status: gitStatus(project),
  })
  const warning = warnings.length > 0 ? { systemMessage: `ralph: ${warnings.join('; ')}` } : {}
  if (errors.length === 0) return warnings.length > 0 ? warning : null
  const { mayBlock, blocks } = countBlocks(input, process.env)
  if (mayBlock) return { decision: 'block', reason: errors.join('\n\n'), ...warning }
  // Past its own limit claude would end without an answer, and the iteration would be lost.
  return {
    systemMessage: `ralph: the Stop gate lets this iteration end after ${blocks} ${blocks === 1 ? 'block' : 'blocks'}, although: ${errors.join(' ')}`,
  }
}

/** A list that cannot be read holds up a run of ralph, where nobody looks on; elsewhere that is trouble of the hook's own. */
function readTasks(path: string): Looked['tasks'] {
  try {
    // Reading a pipe would wait for somebody to write to it.
    if (!statSync(path).isFile()) throw new Error('it is no file')
    return readFileSync(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    if (process.env.RALPH_RUN) return { unreadable: (error as Error).message }
    throw new Error(`${path} cannot be read: ${(error as Error).message}`, { cause: error })
  }
}

/** null outside a repository, or where git does not answer: then there is nothing to hold against anyone. */
function gitStatus(cwd: string): string | null {
  const args = ['-c', 'core.fsmonitor=false', 'status', '--porcelain', '-z', '--untracked-files=all']
  const { status, stdout } = spawnSync('git', ['--no-optional-locks', ...args], {
    cwd,
    encoding: 'utf8',
    timeout: GIT_MS,
    maxBuffer: GIT_BYTES,
  })
  return status === 0 ? stdout : null
}
