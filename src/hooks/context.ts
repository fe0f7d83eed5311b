import { CHARS_PER_TOKEN, reached, tellUse, useIn, windowOf } from './context-use.ts'
import { lookBack } from './read-tail.ts'
import { answer, type HookInput } from './run-hook.ts'
import { forgetOldSessions, sessionFolder } from './session-folder.ts'
import { isInStories, projectOf } from './story-loop.ts'
import { rearm, startedWith, take } from './threshold-alerts.ts'

const { env } = process

answer('context', input => {
  if (input.hook_event_name === 'SessionStart') return begin(input)
  // A subagent has a context of its own; this session's thresholds are not to be spent on it.
  return input.agent_id === undefined ? alert(input) : null
})

/** A session starts, goes on from an earlier one, or was compacted. */
function begin({ session_id, model }: HookInput): null {
  rearm(sessionFolder(session_id), model)
  forgetOldSessions(Date.now())
  return null
}

function alert(input: HookInput): object | null {
  if (!input.transcript_path) throw new Error('claude named no transcript_path')
  const folder = sessionFolder(input.session_id)
  const { found, size } = lookBack(input.transcript_path, useIn)
  const told = found?.type === 'told' ? found : null
  const bytes = found?.type === 'compacted' ? found.since : size
  const tokens = told?.tokens ?? bytes / (positive('RALPH_CHARS_PER_TOKEN') ?? CHARS_PER_TOKEN)
  const window =
    positive('CLAUDE_CONTEXT_WINDOW') ?? windowOf(told?.model ?? null, startedWith(folder), told?.tokens ?? 0)
  const threshold = reached(tokens, window)
  if (threshold === null || !take(folder, threshold)) return null
  const inStories = isInStories(projectOf(input, env), env)
  return {
    hookSpecificOutput: {
      hookEventName: 'PostToolUse',
      additionalContext: tellUse(threshold, { tokens, window, inStories }),
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
