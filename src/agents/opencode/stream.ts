import type { AgentEvent, Usage } from '../../core/events.ts'
import type { Parser } from '../../core/ports.ts'
import { describeExit, failureEvents } from '../shared/failure.ts'
import { asCount, asObject, asText, cutStart, type Fields, outputOf, summarize } from '../shared/fields.ts'
import { jsonLines } from '../shared/json-lines.ts'
import { MAX_ANSWER } from '../shared/text.ts'
import { todoItems } from '../shared/todo-items.ts'
import { addUsage } from '../shared/usage.ts'

type Speaker = { from: 'subagent' } | undefined
type Trouble = { error: string; status: unknown }

/**
 * Reads `opencode run --format json`. No line marks the end: the call is finished if the last step did not end in tool
 * calls and the process exits with 0. The answer is the text of that step. A tool is reported only when it has ended.
 */
export function opencodeParser(): Parser {
  let started = false
  let step = ''
  let texts: string[] = []
  let finished = false
  let trouble: Trouble | null = null
  let usage: Usage | undefined
  let costUsd: number | undefined
  let denials = 0

  function enterStep(message: string) {
    if (message === step) return
    step = message
    texts = []
    finished = false
  }

  function readText(part: Fields, from: Speaker): AgentEvent[] | null {
    const { text } = part
    if (typeof text !== 'string') return null
    if (!from) {
      enterStep(asText(part.messageID))
      texts.push(text)
    }
    return [{ type: 'text', text, ...from }]
  }

  function readTool(part: Fields, from: Speaker): AgentEvent[] | null {
    const id = asText(part.callID)
    const state = asObject(part.state)
    if (id === '' || !state) return null
    if (isRefusal(state)) denials++
    const name = asText(part.tool)
    const input = asObject(state.input)
    const ok = state.status !== 'error' && !asCount(asObject(state.metadata)?.exit)
    const output = outputOf(asText(state.output) || asText(state.error))
    const events: AgentEvent[] = [{ type: 'tool', id, name, summary: summarize(input), ...from }]
    if (name === 'todowrite' && !from) events.push({ type: 'todo', items: todoItems(input?.todos) })
    return [...events, { type: 'toolResult', id, ok, output, ...from }]
  }

  function readFinish(part: Fields, from: Speaker) {
    const tokens = asObject(part.tokens)
    if (tokens) usage = addUsage(usage, usageOf(tokens))
    if (typeof part.cost === 'number') costUsd = (costUsd ?? 0) + asCount(part.cost)
    if (from) return
    enterStep(asText(part.messageID))
    finished = part.reason !== 'tool-calls'
  }

  function readPart(message: Fields, type: string): AgentEvent[] | null {
    const part = asObject(message.part)
    if (!part) return null
    const from = part.sessionID === message.sessionID ? undefined : ({ from: 'subagent' } as const)
    switch (type) {
      case 'text':
        return readText(part, from)
      case 'tool_use':
        return readTool(part, from)
      case 'step_start':
        if (!from) enterStep(asText(part.messageID))
        return []
      default:
        readFinish(part, from)
        return []
    }
  }

  /** The first line, whatever its type, names the session. */
  function readStart({ sessionID }: Fields): AgentEvent[] {
    if (started) return []
    started = true
    return [{ type: 'started', session: asText(sessionID) || undefined }]
  }

  return jsonLines({
    read(message, type) {
      switch (type) {
        case 'text':
        case 'tool_use':
        case 'step_start':
        case 'step_finish': {
          const events = readPart(message, type)
          return events && [...readStart(message), ...events]
        }
        case 'error':
          trouble = troubleIn(asObject(message.error))
          return readStart(message)
        default:
          return []
      }
    },
    end(exit) {
      const spent = { usage, costUsd, denials }
      const text = cutStart(texts.join('\n'), MAX_ANSWER)
      if (trouble) return failureEvents(trouble.error, { status: trouble.status, ...spent })
      if (!finished) return failureEvents(`${describeExit(exit)}, no result`, spent)
      return exit.code === 0
        ? [{ type: 'ended', ok: true, text, ...spent }]
        : failureEvents(describeExit(exit), { text, ...spent })
    },
  })
}

function troubleIn(error: Fields | null): Trouble {
  const data = asObject(error?.data)
  return {
    error: asText(data?.message) || asText(error?.name) || 'an error without a reason',
    status: data?.statusCode,
  }
}

/** Nothing else marks a call that was not permitted. */
const isRefusal = ({ status, error }: Fields): boolean =>
  status === 'error' && asText(error).startsWith('The user rejected permission')

/** Its input leaves out cache reads and writes, and its output leaves out reasoning. */
function usageOf(tokens: Fields): Usage {
  const cacheRead = asCount(asObject(tokens.cache)?.read)
  const cacheWrite = asCount(asObject(tokens.cache)?.write)
  const input = asCount(tokens.input) + cacheRead + cacheWrite
  return { input, output: asCount(tokens.output) + asCount(tokens.reasoning), cacheRead, cacheWrite }
}
