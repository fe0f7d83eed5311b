import { contextWindow, readContextUse } from '../core/context-use.ts'
import { searchTail } from '../store/files/read.ts'
import { CHARS_PER_TOKEN, contextAlert, highestReached } from './context-use.ts'
import { type HookInput, runHook } from './run-hook.ts'
import { removeOldSessions, sessionFolder } from './session-folder.ts'
import { isInStories, projectFolder } from './story-loop.ts'
import { claimThreshold, modelAtStart, resetThresholds } from './threshold-alerts.ts'

const { env } = process

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
