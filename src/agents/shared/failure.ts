import type { AgentEnded, AgentEvent } from '../../core/events.ts'
import { cut } from './fields.ts'
import { troubleOf } from './trouble.ts'

const NOTE = 2000

/** The end of a call that failed; if the service turned it away, that is told first. */
export function fail(
  error: string,
  more: Omit<AgentEnded, 'type' | 'ok' | 'error' | 'text'> & { text?: string; status?: unknown } = {},
): AgentEvent[] {
  const { status, text = '', ...spent } = more
  const note = cut(error, NOTE)
  const ended: AgentEvent = { type: 'ended', ok: false, text, ...spent, error: note }
  const trouble = troubleOf(error, status)
  return trouble ? [{ type: trouble, note }, ended] : [ended]
}
