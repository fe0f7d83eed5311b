import type { AgentEvent, Usage } from '../../core/events.ts'
import type { Parser } from '../../core/ports.ts'
import { describeExit, failureEvents, MAX_NOTE } from '../shared/failure.ts'
import {
  asCount,
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
import { todoItems } from '../shared/todo-items.ts'

/**
 * Reads `gemini -o stream-json`. A message comes in pieces and ends when something else comes.
 * The answer is the text after the last tool call. Subagents do not appear in the stream.
 */
export function geminiParser(): Parser {
  let pieces: string[] = []
  let answer = ''
  let trouble = ''

  function finishMessage(): AgentEvent[] {
    const text = pieces.join('')
    pieces = []
    if (text === '') return []
    answer = text
    return [{ type: 'text', text }]
  }

  function readMessage({ role, content, delta }: Fields): AgentEvent[] | null {
    if (typeof content !== 'string') return null
    if (role !== 'assistant') return finishMessage()
    const before = delta === true ? [] : finishMessage()
    trouble = ''
    pieces.push(content)
    return before
  }

  function readTool({ tool_id, tool_name, parameters }: Fields): AgentEvent[] | null {
    const id = asText(tool_id)
    if (id === '') return null
    const name = asText(tool_name)
    const input = asObject(parameters)
    const events = finishMessage()
    answer = ''
    events.push({ type: 'tool', id, name, summary: summarize(input) })
    if (name === 'write_todos') events.push({ type: 'todo', items: todoItems(input?.todos) })
    return events
  }

  function readError({ severity, message }: Fields): AgentEvent[] {
    const note = asText(message)
    if (severity === 'error') trouble = note || 'an error without a reason'
    return [...finishMessage(), { type: 'retrying', note: clip(note, MAX_NOTE) }]
  }

  function readResult({ status, error, stats }: Fields): AgentEvent[] {
    const before = finishMessage()
    const spent = { usage: usageOf(asObject(stats)) }
    const text = cutStart(answer, MAX_ANSWER)
    if (status === 'success' && !trouble) return [...before, { type: 'ended', ok: true, text, ...spent }]
    const why = asText(asObject(error)?.message) || trouble || 'a result without a reason'
    return [...before, ...failureEvents(why, { text, ...spent })]
  }

  return jsonLines({
    read(message, type) {
      switch (type) {
        case 'init': {
          const field = (value: unknown) => asText(value) || undefined
          return [{ type: 'started', session: field(message.session_id), model: field(message.model) }]
        }
        case 'message':
          return readMessage(message)
        case 'tool_use':
          return readTool(message)
        case 'tool_result': {
          const result = resultOf(message)
          return result && [...finishMessage(), result]
        }
        case 'error':
          return readError(message)
        case 'result':
          return readResult(message)
        default:
          return []
      }
    },
    end: exit => [...finishMessage(), ...failureEvents(trouble || `${describeExit(exit)}, no result`)],
  })
}

/** Gemini reports a failed shell command as a success: only a tool that could not run is an error. */
function resultOf({ tool_id, status, output, error }: Fields): AgentEvent | null {
  const id = asText(tool_id)
  if (id === '') return null
  const said = asText(output) || asText(asObject(error)?.message)
  return { type: 'toolResult', id, ok: status !== 'error', output: outputOf(said) }
}

/** Its input already includes cache reads. Its output leaves out thoughts, which only the total includes. */
function usageOf(stats: Fields | null): Usage | undefined {
  if (!stats) return undefined
  const input = asCount(stats.input_tokens)
  const output = Math.max(asCount(stats.output_tokens), asCount(stats.total_tokens) - input)
  return { input, output, cacheRead: asCount(stats.cached), cacheWrite: 0 }
}
