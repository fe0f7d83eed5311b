import type { AgentEvent } from '../../core/events.ts'
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

type Speaker = { from: 'subagent' } | undefined

/**
 * Reads `copilot --output-format json`. The answer is the main agent's last message; `result` says how the call ended,
 * without any tokens. Lines of a subagent carry its id.
 */
export function copilotParser(): Parser {
  let started = false
  let answer = ''
  let trouble: { error: string; status: unknown } | null = null
  let denials = 0

  function readMessage({ content }: Fields, from: Speaker): AgentEvent[] | null {
    if (typeof content !== 'string') return null
    if (!from) {
      answer = content
      trouble = null
    }
    return content === '' ? [] : [{ type: 'text', text: content, ...from }]
  }

  function readToolEnd(data: Fields, from: Speaker): AgentEvent[] | null {
    const id = asText(data.toolCallId)
    if (id === '') return null
    const error = asObject(data.error)
    if (error?.code === 'denied') denials++
    // Copilot reports a failed shell command as a success with an exit code.
    const ok = data.success === true && !asCount(asObject(data.shellExecution)?.exitCode)
    const output = outputOf(asText(asObject(data.result)?.content) || asText(error?.message))
    return [{ type: 'toolResult', id, ok, output, ...from }]
  }

  const failFor = (why: string, text = '') =>
    failureEvents(trouble?.error || why, { text, status: trouble?.status, denials })

  function readResult({ exitCode }: Fields): AgentEvent[] {
    const text = cutStart(answer, MAX_ANSWER)
    if (exitCode === 0) return [{ type: 'ended', ok: true, text, denials }]
    const why = typeof exitCode === 'number' ? `exit code ${exitCode}` : 'a result without a reason'
    return failFor(why, text)
  }

  function readData(type: string, data: Fields, from: Speaker): AgentEvent[] | null {
    switch (type) {
      case 'session.tools_updated':
        if (started) return []
        started = true
        return [{ type: 'started', model: asText(data.model) || undefined }]
      case 'assistant.message':
        return readMessage(data, from)
      case 'tool.execution_start': {
        const id = asText(data.toolCallId)
        if (id === '') return null
        const summary = summarize(asObject(data.arguments))
        return [{ type: 'tool', id, name: asText(data.toolName), summary, ...from }]
      }
      case 'tool.execution_complete':
        return readToolEnd(data, from)
      case 'assistant.turn_retry':
        return [{ type: 'retrying', note: clip(asText(data.reason) || 'unknown', MAX_NOTE) }]
      case 'session.error':
        if (!from) trouble = { error: asText(data.message), status: data.statusCode }
        return []
      default:
        return []
    }
  }

  return jsonLines({
    read(message, type) {
      if (type === 'result') return readResult(message)
      const data = asObject(message.data)
      if (!data) return null
      return readData(type, data, message.agentId == null ? undefined : { from: 'subagent' })
    },
    end: exit => failFor(`${describeExit(exit)}, no result`),
  })
}
