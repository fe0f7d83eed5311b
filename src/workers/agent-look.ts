import { join } from 'node:path'
import { activityReader } from '../agents/claude/activity.ts'
import type { AgentEvent, RunEvent, Watched } from '../core/events.ts'
import { fold } from '../core/evolve.ts'
import type { Agent } from '../core/ports.ts'
import { agentOf, hasStream } from '../host/agents/agents.ts'
import { agentOfLatest, withAgent } from '../host/resume.ts'
import { present } from '../settings/environment.ts'
import { readActivity } from '../store/activity-file.ts'
import { searchTail } from '../store/files/read.ts'
import { sessionDir } from '../store/session.ts'
import { STREAM_FILE, stepFolders } from '../store/step-files.ts'
import { followDoing, toolNamer } from '../view/doing.ts'
import { readBase } from '../workflows/spec.ts'

/** What one sees of a run whose process lives, and by what. */
export type AgentLook = {
  by: Watched | 'hooks' | 'transcript' | 'process'
  /** What its agent does now. Null if nobody can know. */
  doing: string | null
}

/**
 * While an agent is at work: by what shows that. The screen comes last, because it says least. Otherwise the
 * supervisor's own process shows it.
 */
export function lookAtAgent(events: readonly RunEvent[], env: NodeJS.ProcessEnv): AgentLook {
  const [began] = events
  const started = events.findLast(e => e.type === 'started')
  const isBusy = Object.keys(fold(events).state.flight).length > 0
  if (began?.type !== 'began' || !started || !isBusy) return { by: 'process', doing: null }
  const spec = withAgent(readBase(began.pins), agentOfLatest(events))
  const agent = agentOf(spec)
  const { project, sessions = project, settings } = spec
  const folder = join(sessionDir(sessions, began.id), stepFolders(events).nameOf(started.id))
  const doing = (said: readonly AgentEvent[]) => doingIn(said, project)
  if (started.agent === agent.name && hasStream(agent, settings.streamAgentOutput ? 'stream' : 'text'))
    return { by: 'stream', doing: doing(streamEnd(agent, folder)) }
  const hooked = readActivity(folder)
  if (hooked.length > 0) return { by: 'hooks', doing: doing(hooked.flatMap(activityReader())) }
  const written = agent.lastWritten?.(project, present(env), started.at) ?? null
  if (written !== null) return { by: 'transcript', doing: null }
  const last = events.findLast(e => e.type === 'started' || e.type === 'spawned')
  return { by: (last?.type === 'spawned' && last.watched) || 'stream', doing: null }
}

function doingIn(said: readonly AgentEvent[], project: string): string | null {
  const doing = followDoing(toolNamer(project))
  for (const event of said) doing.see(event)
  return doing.now() || null
}

/** What an agent said last in its stream. */
function streamEnd(agent: Agent, folder: string): AgentEvent[] {
  try {
    const { found } = searchTail(join(folder, STREAM_FILE), lines => lines)
    const parser = agent.parser('stream')
    return (found ?? []).flatMap(line => parser.line(line))
  } catch {
    // It has said nothing yet.
    return []
  }
}
