import type { AgentEnded, AgentEvent } from '../core/events.ts'
import { cut } from './fields.ts'
import { isLimit, isLimitStatus } from './limit.ts'

const NOTE = 2000

/** The end of a call that failed; if a limit made it fail, that is told first. */
export function fail(
  error: string,
  more: Omit<AgentEnded, 'type' | 'ok' | 'error' | 'text'> & { text?: string; status?: unknown } = {},
): AgentEvent[] {
  const { status, text = '', ...spent } = more
  const note = cut(error, NOTE)
  const ended: AgentEvent = { type: 'ended', ok: false, text, ...spent, error: note }
  return isLimit(error) || isLimitStatus(status) ? [{ type: 'limited', note }, ended] : [ended]
}
