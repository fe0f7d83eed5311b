import type { AgentEnded, AgentEvent, Usage } from '../../core/events.ts'
import type { Parser } from '../../core/ports.ts'
import { sayExit } from '../shared/exit.ts'
import {
  asCount,
  asList,
  asObject,
  asText,
  cut,
  cutHead,
  type Fields,
  outputOf,
  summarize,
} from '../shared/fields.ts'
import { jsonLines } from '../shared/json-lines.ts'
import { KEPT } from '../shared/text.ts'
import { epochMs, troubleOf } from '../shared/trouble.ts'
import { addUsage } from '../shared/usage.ts'
import { editOf } from './edits.ts'
import { claudeTodos } from './todos.ts'

const NOTE = 2000

/** Where a dialect of this stream tells what a call took. */
export type Meter = {
  /** Every message of an agent, main or sub, as it comes. */
  hear(message: Fields): void
  /** What was taken since the last result, by the time of this one. */
  total(result: Fields): Usage | undefined
}

/** Its messages count in part and repeatedly; only a result adds up. */
const byResult = (): Meter => ({ hear() {}, total: result => usageOf(asObject(result.usage)) })

/**
 * Reads `--output-format stream-json`. What the main agent said last is in the `result` message, and only there.
 * One process may give several: each time a background task ends, the agent takes another turn. The last one counts.
 */
export function claudeParser(meter: Meter = byResult()): Parser {
  const todos = claudeTodos()
  const refusedByHook = new Set<string>()
  let interrupted = false
  /** The service turned the account away, and the agent has not been heard since. */
  let rejected: { resetsAt?: number } | null = null
  /** The end that the last result tells of, kept until the process is gone. */
  let told: AgentEvent[] | null = null
  /** The main agent has gone on since its last result. */
  let isTurnOpen = false
  let openTasks = 0
  /** Why the service turns the agent away for good, told before any result. */
  let hopeless: string | null = null
  const denied = new Set<string>()
  let spent: Pick<AgentEnded, 'usage' | 'costUsd' | 'denials'> = {}

  function readSystem(message: Fields): AgentEvent[] {
    if (message.subtype === 'init') isTurnOpen = true
    if (message.subtype === 'api_retry') return readRetry(message)
    if (message.subtype !== 'background_tasks_changed') return systemEvents(message)
    openTasks = asList(message.tasks).length
    return [{ type: 'background', open: openTasks }]
  }

  function readRetry(message: Fields): AgentEvent[] {
    const why =
      [asText(message.error), asCount(message.error_status) || ''].filter(Boolean).join(' ') || 'unknown'
    const note = `retry ${asCount(message.attempt)} of ${asCount(message.max_retries)}: ${why}`
    const retrying: AgentEvent = { type: 'retrying', note: cut(note, NOTE) }
    // It would go on for minutes. One retry may be enough where a login is renewed, another one never is.
    if (asCount(message.attempt) < 2 || troubleOf('', message.error_status) !== 'unusable') return [retrying]
    hopeless = cut(why, NOTE)
    return [retrying, { type: 'unusable', note: hopeless }]
  }

  function readAssistant(message: Fields): AgentEvent[] | null {
    meter.hear(message)
    const blocks = blocksOf(message)
    const from = speakerOf(message)
    if (!from) isTurnOpen = true
    if (blocks && !from && typeof message.error !== 'string') {
      rejected = null
      interrupted = false
    }
    if (!blocks) return null
    const events: AgentEvent[] = []
    for (const block of blocks) {
      if (block?.type === 'text' && typeof block.text === 'string')
        events.push(from ? { type: 'text', text: block.text, ...from } : { type: 'text', text: block.text })
      const id = asText(block?.id)
      if (block?.type !== 'tool_use' || id === '') continue
      const name = asText(block.name)
      const input = asObject(block.input)
      const diff = editOf(name, input ?? {})
      events.push({ type: 'tool', id, name, summary: summarize(input), ...(diff && { diff }), ...from })
      const items = from ? null : todos.call(id, name, input ?? {})
      if (items) events.push({ type: 'todo', items })
    }
    return events
  }

  function readUser(message: Fields): AgentEvent[] | null {
    for (const meta of asList(message.tool_result_meta).map(asObject))
      if (asObject(meta?.permission_decision)?.source === 'hook') refusedByHook.add(asText(meta?.id))
    const from = speakerOf(message)
    return (
      blocksOf(message)?.flatMap((block): AgentEvent[] => {
        if (!from && asText(block?.text).startsWith('[Request interrupted by user')) interrupted = true
        const id = asText(block?.tool_use_id)
        if (block?.type !== 'tool_result' || id === '') return []
        const ok = block.is_error !== true
        const items = todos.answer(id, ok, message.tool_use_result)
        const result: AgentEvent = { type: 'toolResult', id, ok, output: outputOf(block.content), ...from }
        return items ? [result, { type: 'todo', items }] : [result]
      }) ?? null
    )
  }

  function readResult(message: Fields): AgentEvent[] {
    const text = cutHead(asText(message.result), KEPT)
    for (const denial of asList(message.permission_denials)) denied.add(asText(asObject(denial)?.tool_use_id))
    // Tokens are those of this turn, the cost is that of the whole session.
    const costUsd =
      typeof message.total_cost_usd === 'number' ? asCount(message.total_cost_usd) : spent.costUsd
    spent = {
      usage: addUsage(spent.usage, meter.total(message)),
      costUsd,
      denials: [...denied].filter(id => !refusedByHook.has(id)).length,
    }
    isTurnOpen = false
    if (message.subtype === 'success' && !message.is_error && !interrupted)
      return [{ type: 'ended', ok: true, text, ...spent }]
    const error = interrupted ? 'interrupted' : cut(errorOf(message), NOTE)
    const ended: AgentEvent = { type: 'ended', ok: false, text, ...spent, error }
    const status = message.api_error_status
    const trouble = troubleOf(error, status)
    if (trouble !== 'limited') return trouble ? [{ type: trouble, note: error }, ended] : [ended]
    // An overloaded service has nothing to do with when the account's own limit resets.
    return [{ type: 'limited', ...(status === 529 ? {} : rejected), note: error }, ended]
  }

  function read(message: Fields, type: string): AgentEvent[] | null {
    switch (type) {
      case 'system':
        return readSystem(message)
      case 'assistant':
        return readAssistant(message)
      case 'user':
        return readUser(message)
      case 'rate_limit_event':
        rejected = rejectionIn(message)
        return []
      case 'result':
        told = readResult(message)
        return []
      default:
        return []
    }
  }

  /** The end that counts if nothing follows; null while the agent, or a task of its own, is still at work. */
  const answer = () => (isTurnOpen || openTasks > 0 ? null : told)

  return jsonLines({
    read(message, type) {
      const events = read(message, type)
      return events && answer() ? [...events, { type: 'answered' }] : events
    },
    end(exit) {
      const end = answer()
      if (end) return end
      const missing = told ? 'no result after the last background task' : 'no result'
      const error = hopeless ?? `${sayExit(exit)}, ${missing}`
      const ended: AgentEvent = { type: 'ended', ok: false, text: '', ...spent, error }
      return rejected ? [{ type: 'limited', ...rejected, note: 'usage limit reached' }, ended] : [ended]
    },
  })
}

function systemEvents(message: Fields): AgentEvent[] {
  if (message.subtype === 'init') {
    const field = (value: unknown) => asText(value) || undefined
    const { session_id, model, apiKeySource } = message
    // No key at all means the login of the CLI itself, which a subscription pays.
    const auth = apiKeySource === 'none' ? 'its own login' : field(apiKeySource)
    return [{ type: 'started', session: field(session_id), model: field(model), auth }]
  }
  return []
}

/** The content of a message, which may also be plain text; null if it has none. */
function blocksOf(message: Fields): (Fields | null)[] | null {
  const content = asObject(message.message)?.content
  if (typeof content === 'string') return [{ type: 'text', text: content }]
  return Array.isArray(content) ? content.map(asObject) : null
}

const speakerOf = (message: Fields): { from: 'subagent' } | undefined =>
  message.parent_tool_use_id == null ? undefined : { from: 'subagent' }

function rejectionIn(message: Fields): { resetsAt?: number } | null {
  const info = asObject(message.rate_limit_info)
  return info?.status === 'rejected' ? { resetsAt: epochMs(info.resetsAt) } : null
}

/** The prompt's tokens are told apart by how they met the cache; together they are the input. */
function usageOf(usage: Fields | null): Usage | undefined {
  if (!usage) return undefined
  const cacheRead = asCount(usage.cache_read_input_tokens)
  const cacheWrite = asCount(usage.cache_creation_input_tokens)
  const input = asCount(usage.input_tokens) + cacheRead + cacheWrite
  return { input, output: asCount(usage.output_tokens), cacheRead, cacheWrite }
}

function errorOf(message: Fields): string {
  const errors = asList(message.errors).map(asText).filter(Boolean)
  return (
    asText(message.result) ||
    errors.join('\n') ||
    asText(message.error) ||
    asText(message.subtype) ||
    'a result without a reason'
  )
}
