import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { contextWindow, readContextUse } from '../core/context-use.ts'
import { LIMITS, searchTail, textAt } from '../store/files/read.ts'
import { CHARS_PER_TOKEN, contextAlert, highestReached, type Threshold, thresholds } from './context-use.ts'
import { type HookInput, runHook } from './run-hook.ts'
import { removeOldSessions, sessionFolder } from './session-folder.ts'
import { isInStories, projectFolder } from './story-loop.ts'

const { env } = process

/** The file with the name of the model that the session started with. */
const MODEL = 'model'

runHook('context', input => {
  if (input.hook_event_name === 'SessionStart') return onSessionStart(input)
  // A subagent has its own context, so its calls must not use up the thresholds of this session.
  return input.agent_id === undefined ? alert(input) : null
})

/** Claude sends this when a session starts, resumes or was compacted. */
function onSessionStart({ session_id, model }: HookInput): null {
  resetThresholds(sessionFolder(session_id), model)
  removeOldSessions(Date.now())
  return null
}

function alert(input: HookInput): object | null {
  if (!input.transcript_path) throw new Error('claude named no transcript_path')
  const folder = sessionFolder(input.session_id)
  const { found, size } = searchTail(input.transcript_path, readContextUse)
  const counted = found?.type === 'counted' ? found : null
  const bytes = found?.type === 'compacted' ? found.since : size
  const tokens = counted?.tokens ?? bytes / (positive('RALPH_CHARS_PER_TOKEN') ?? CHARS_PER_TOKEN)
  const window =
    positive('CLAUDE_CONTEXT_WINDOW') ??
    contextWindow(counted?.model ?? null, modelAtStart(folder), counted?.tokens ?? 0)
  const threshold = highestReached(tokens, window)
  if (threshold === null || !claimThreshold(folder, threshold)) return null
  const inStories = isInStories(projectFolder(input, env), env)
  return {
    hookSpecificOutput: {
      hookEventName: 'PostToolUse',
      additionalContext: contextAlert(threshold, { tokens, window, inStories }),
    },
  }
}

function positive(name: string): number | null {
  const text = env[name]
  if (!text) return null
  const value = Number(text)
  if (!(value > 0)) throw new Error(`${name} must be a number above 0, not "${text}"`)
  return value
}

/**
 * Claims a threshold for this call. Returns false if it, or a higher one, was already announced. Tools may run in
 * parallel: creating the file exclusively lets only one of several calls announce a threshold.
 */
function claimThreshold(folder: string, threshold: Threshold): boolean {
  if (thresholds.some(higher => higher > threshold && existsSync(join(folder, String(higher))))) return false
  try {
    writeFileSync(join(folder, String(threshold)), '', { flag: 'wx', mode: 0o600 })
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}

/** Lets every threshold be announced again, and saves the model that the session started with. */
function resetThresholds(folder: string, model: string | undefined): void {
  for (const threshold of thresholds) rmSync(join(folder, String(threshold)), { force: true })
  if (model) writeFileSync(join(folder, MODEL), model, { mode: 0o600 })
}

function modelAtStart(folder: string): string | null {
  return textAt(join(folder, MODEL), { limit: LIMITS.small })
}
