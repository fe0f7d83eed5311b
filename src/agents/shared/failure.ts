import type { AgentEnded, AgentEvent, Exit } from '../../core/events.ts'
import { clip } from './fields.ts'
import { troubleOf } from './trouble.ts'

/** How much of an error is kept. */
export const MAX_NOTE = 2000

/** The end of a call that failed. If the service turned it away, an event before the end says so. */
export function failureEvents(
  error: string,
  more: Omit<AgentEnded, 'type' | 'ok' | 'error' | 'text'> & { text?: string; status?: unknown } = {},
): AgentEvent[] {
  const { status, text = '', ...spent } = more
  const note = clip(error, MAX_NOTE)
  const ended: AgentEvent = { type: 'ended', ok: false, text, ...spent, error: note }
  const trouble = troubleOf(error, status)
  return trouble ? [{ type: trouble, note }, ended] : [ended]
}

/** How a process ended, in words: `exit code 3`, `killed by SIGTERM`. */
export function describeExit({ code, signal }: Exit): string {
  if (code !== null) return `exit code ${code}`
  return signal === null ? 'no exit status' : `killed by ${signal}`
}
