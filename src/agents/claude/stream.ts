import type { AgentEnded, AgentEvent, Exit, Usage } from '../../core/events.ts'
import type { Parser } from '../../core/ports.ts'
import { describeExit, MAX_NOTE } from '../shared/failure.ts'
import {
  asCount,
  asList,
  asObject,
  asText,
  clip,
  cutStart,
  type Fields,
  outputOf,
  summarize,
} from '../shared/fields.ts'
import { jsonLines } from '../shared/json-lines.ts'
import { MAX_ANSWER } from '../shared/text.ts'
import { epochMs, troubleOf } from '../shared/trouble.ts'
import { addUsage } from '../shared/usage.ts'
import { editOf } from './edits.ts'
import { claudeTodos } from './todos.ts'

/** Counts the tokens of a call. Each dialect of this stream reports them in its own way. */
export type Meter = {
  /** Called for every message of an agent, of a subagent too. */
  count(message: Fields): void
  /** The tokens used since the last result. */
  total(result: Fields): Usage | undefined
}

/** Claude's messages report their tokens in part and more than once, so only the result is used. */
const byResult = (): Meter => ({ count() {}, total: result => usageOf(asObject(result.usage)) })

/** What the messages so far have said. */
type Heard = {
  meter: Meter
  todos: ReturnType<typeof claudeTodos>
  refusedByHook: Set<string>
  denied: Set<string>
  interrupted: boolean
  /** The service rejected the account, and the agent has sent nothing since. */
  rejected: { resetsAt?: number } | null
  /** The end according to the last result, kept until the process has exited. */
  lastEnd: AgentEvent[] | null
  /** The main agent has worked on since its last result. */
  isTurnOpen: boolean
  /** How many turns have begun that no result has ended: a second one may begin before the first has its result. */
  turns: number
  openTasks: number
  /** Why the service rejects the agent for good, known before any result. */
  unusable: string | null
  spent: Pick<AgentEnded, 'usage' | 'costUsd' | 'denials'>
}

/**
 * Reads `--output-format stream-json`. Only the `result` message holds the main agent's final answer.
 * One process may send several: the agent takes another turn each time a background task ends. The last one counts.
 */
export function claudeParser(meter: Meter = byResult()): Parser {
  const heard: Heard = {
    meter,
    todos: claudeTodos(),
    refusedByHook: new Set(),
    denied: new Set(),
    interrupted: false,
    rejected: null,
    lastEnd: null,
    isTurnOpen: false,
    turns: 0,
    openTasks: 0,
    unusable: null,
    spent: {},
  }
  return jsonLines({
    read(message, type) {
      const events = readMessage(heard, message, type)
      return events && answerIn(heard) ? [...events, { type: 'answered' }] : events
    },
    end: exit => answerIn(heard) ?? endWithoutAnswer(heard, exit),
  })
}

/** The end that counts if nothing follows. Null while the agent or one of its background tasks still works. */
const answerIn = ({ isTurnOpen, openTasks, lastEnd }: Heard): AgentEvent[] | null =>
  isTurnOpen || openTasks > 0 ? null : lastEnd

function endWithoutAnswer({ lastEnd, unusable, spent, rejected }: Heard, exit: Exit): AgentEvent[] {
  const missing = lastEnd ? 'no result after the last background task' : 'no result'
  const error = unusable ?? `${describeExit(exit)}, ${missing}`
  const ended: AgentEvent = { type: 'ended', ok: false, text: '', ...spent, error }
  return rejected ? [{ type: 'limited', ...rejected, note: 'usage limit reached' }, ended] : [ended]
}

function readMessage(heard: Heard, message: Fields, type: string): AgentEvent[] | null {
  switch (type) {
    case 'system':
      return readSystem(heard, message)
    case 'assistant':
      return readAssistant(heard, message)
    case 'user':
      return readUser(heard, message)
    case 'rate_limit_event':
      heard.rejected = rejectionIn(message)
      return []
    case 'result':
      if (isAnswer(heard, message)) heard.lastEnd = readResult(heard, message)
      return []
    default:
      return []
  }
}

/** After the first result, only one that ends another turn of the main agent is its word. */
const isAnswer = ({ lastEnd, turns }: Heard, message: Fields): boolean =>
  !speakerOf(message) && (lastEnd === null || turns > 0)

function readSystem(heard: Heard, message: Fields): AgentEvent[] {
  if (message.subtype === 'init') {
    heard.isTurnOpen = true
    heard.turns++
  }
  if (message.subtype === 'api_retry') return readRetry(heard, message)
  if (message.subtype !== 'background_tasks_changed') return systemEvents(message)
  heard.openTasks = asList(message.tasks).length
  return [{ type: 'background', open: heard.openTasks }]
}

function readRetry(heard: Heard, message: Fields): AgentEvent[] {
  const why =
    [asText(message.error), asCount(message.error_status) || ''].filter(Boolean).join(' ') || 'unknown'
  const note = `retry ${asCount(message.attempt)} of ${asCount(message.max_retries)}: ${why}`
  const retrying: AgentEvent = { type: 'retrying', note: clip(note, MAX_NOTE) }
  // Claude would retry for minutes. A first retry may help while a login is renewed; a second never does.
  if (asCount(message.attempt) < 2 || troubleOf('', message.error_status) !== 'unusable') return [retrying]
  heard.unusable = clip(why, MAX_NOTE)
  return [retrying, { type: 'unusable', note: heard.unusable }]
}

function readAssistant(heard: Heard, message: Fields): AgentEvent[] | null {
  heard.meter.count(message)
  const blocks = blocksOf(message)
  const from = speakerOf(message)
  if (!from) {
    heard.isTurnOpen = true
    heard.turns ||= 1
  }
  if (blocks && !from && typeof message.error !== 'string') {
    heard.rejected = null
    heard.interrupted = false
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
    const items = from ? null : heard.todos.call(id, name, input ?? {})
    if (items) events.push({ type: 'todo', items })
  }
  return events
}

function readUser(heard: Heard, message: Fields): AgentEvent[] | null {
  for (const meta of asList(message.tool_result_meta).map(asObject))
    if (asObject(meta?.permission_decision)?.source === 'hook') heard.refusedByHook.add(asText(meta?.id))
  const from = speakerOf(message)
  return (
    blocksOf(message)?.flatMap((block): AgentEvent[] => {
      if (!from && asText(block?.text).startsWith('[Request interrupted by user')) heard.interrupted = true
      const id = asText(block?.tool_use_id)
      if (block?.type !== 'tool_result' || id === '') return []
      const ok = block.is_error !== true
      const items = heard.todos.result(id, ok, message.tool_use_result)
      const result: AgentEvent = { type: 'toolResult', id, ok, output: outputOf(block.content), ...from }
      return items ? [result, { type: 'todo', items }] : [result]
    }) ?? null
  )
}

function readResult(heard: Heard, message: Fields): AgentEvent[] {
  const text = cutStart(asText(message.result), MAX_ANSWER)
  for (const denial of asList(message.permission_denials))
    heard.denied.add(asText(asObject(denial)?.tool_use_id))
  // Tokens are counted per turn, the cost for the whole session.
  const costUsd =
    typeof message.total_cost_usd === 'number' ? asCount(message.total_cost_usd) : heard.spent.costUsd
  heard.spent = {
    usage: addUsage(heard.spent.usage, heard.meter.total(message)),
    costUsd,
    denials: [...heard.denied].filter(id => !heard.refusedByHook.has(id)).length,
  }
  heard.isTurnOpen = false
  heard.turns = Math.max(heard.turns - 1, 0)
  if (isSuccess(message) && !heard.interrupted)
    return [{ type: 'ended', ok: true, text, ...heard.spent, ...structuredIn(message) }]
  const error = heard.interrupted ? 'interrupted' : clip(errorOf(message), MAX_NOTE)
  const ended: AgentEvent = { type: 'ended', ok: false, text, ...heard.spent, error }
  const status = message.api_error_status
  const trouble = troubleOf(error, status)
  if (trouble !== 'limited') return trouble ? [{ type: trouble, note: error }, ended] : [ended]
  // When the account's own limit resets says nothing about an overloaded service.
  return [{ type: 'limited', ...(status === 529 ? {} : heard.rejected), note: error }, ended]
}

function systemEvents(message: Fields): AgentEvent[] {
  if (message.subtype === 'init' || message.subtype === undefined) {
    const field = (value: unknown) => asText(value) || undefined
    const { session_id, model, apiKeySource } = message
    // Without a key the CLI uses its own login, which a subscription pays for.
    const auth = apiKeySource === 'none' ? 'its own login' : field(apiKeySource)
    return [{ type: 'started', session: field(session_id), model: field(model), auth }]
  }
  return []
}

/** The content of a message, which may also be plain text, or null if it has none. */
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

/** Claude counts input, cache reads and cache writes separately; the input is their sum. */
function usageOf(usage: Fields | null): Usage | undefined {
  if (!usage) return undefined
  const cacheRead = asCount(usage.cache_read_input_tokens)
  const cacheWrite = asCount(usage.cache_creation_input_tokens)
  const input = asCount(usage.input_tokens) + cacheRead + cacheWrite
  return { input, output: asCount(usage.output_tokens), cacheRead, cacheWrite }
}

/** The first format of a result says nothing of the end but what it was. */
const isSuccess = ({ subtype, is_error, result }: Fields): boolean =>
  subtype === undefined && is_error === undefined
    ? typeof result === 'string'
    : subtype === 'success' && !is_error

/** Absent if the model answered in prose, although it was given a schema. */
const structuredIn = ({ structured_output: structured }: Fields): { structured?: unknown } =>
  structured === undefined ? {} : { structured }

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
