import type { RunEvent, Watched } from '../core/events.ts'
import { fold } from '../core/evolve.ts'
import { agentOf } from '../host/agents/agents.ts'
import { readBase } from '../workflows/spec.ts'

/**
 * While an agent is at work: by what one sees that; the screen comes last, because it says least. Otherwise the
 * supervisor's own process tells.
 */
export function knownBy(
  events: readonly RunEvent[],
  env: NodeJS.ProcessEnv,
): Watched | 'transcript' | 'process' {
  if (Object.keys(fold(events).state.flight).length === 0) return 'process'
  const last = events.findLast(e => e.type === 'started' || e.type === 'spawned')
  if (last?.type !== 'spawned' || last.watched !== 'screen') return 'stream'
  return hasTranscript(events, env) ? 'transcript' : 'screen'
}

function hasTranscript([began, ...events]: readonly RunEvent[], env: NodeJS.ProcessEnv): boolean {
  const started = events.findLast(e => e.type === 'started')
  if (began?.type !== 'began' || !started) return false
  const known = Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined)
  const agent = agentOf(readBase(began.pins))
  return (agent.lastWritten?.(began.project, Object.fromEntries(known), started.at) ?? null) !== null
}
