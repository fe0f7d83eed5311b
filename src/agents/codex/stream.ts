import type { AgentEvent, TodoItem } from '../../core/events.ts'
import type { Parser } from '../../core/ports.ts'
import { describeExit, failureEvents, MAX_NOTE } from '../shared/failure.ts'
import {
  asCount,
  asList,
  asObject,
  asText,
  clip,
  cutStart,
  type Fields,
  outputOf,
  shortLine,
  summarize,
} from '../shared/fields.ts'
import { jsonLines } from '../shared/json-lines.ts'
import { MAX_ANSWER } from '../shared/text.ts'
import { MAX_TODOS } from '../shared/todo-items.ts'
import { troubleOf } from '../shared/trouble.ts'

/** Reads `codex exec --json`. The answer is the last message of the turn; only `turn.failed` is fatal. */
export function codexParser(): Parser {
  const openTools = new Set<string>()
  let answer = ''
  let trouble = ''

  function readItem(phase: string, item: Fields | null): AgentEvent[] | null {
    const type = asText(item?.type)
    if (!item || type === '') return null
    if (type === 'todo_list') return [{ type: 'todo', items: todosOf(item) }]
    if (phase === 'item.updated') return []
    if (isTool(type)) return readTool(phase, type, item)
    if (phase === 'item.started') return []
    if (type === 'error') return [{ type: 'retrying', note: clip(asText(item.message), MAX_NOTE) }]
    if (type !== 'agent_message') return []
    if (typeof item.text !== 'string') return null
    answer = item.text
    return [{ type: 'text', text: answer }]
  }

  function readTool(phase: string, type: string, item: Fields): AgentEvent[] | null {
    const id = asText(item.id)
    if (id === '') return null
    const events: AgentEvent[] = []
    if (!openTools.has(id))
      events.push({ type: 'tool', id, name: nameOf(type, item), summary: summaryOf(item) })
    if (phase === 'item.started') {
      openTools.add(id)
    } else {
      openTools.delete(id)
      events.push({ type: 'toolResult', id, ok: succeeded(item), output: outputOf(resultOf(item)) })
    }
    return events
  }

  /** With a refused key, a second retry is pointless. */
  function readRetry(said: string): AgentEvent[] {
    const retrying: AgentEvent = { type: 'retrying', note: clip(said, MAX_NOTE) }
    const [, attempt, why = ''] = /^Reconnecting\.\.\. (\d+)\/\d+ \((.*)\)$/s.exec(said) ?? []
    if (Number(attempt) < 2 || troubleOf(why) !== 'unusable') return [retrying]
    trouble = why
    return [retrying, { type: 'unusable', note: clip(why, MAX_NOTE) }]
  }

  return jsonLines({
    read(message, type) {
      switch (type) {
        case 'thread.started':
          return [{ type: 'started', session: asText(message.thread_id) || undefined }]
        case 'item.started':
        case 'item.updated':
        case 'item.completed':
          return readItem(type, asObject(message.item))
        case 'error': {
          const said = asText(message.message)
          if (said.startsWith('Reconnecting')) return readRetry(said)
          trouble = said
          return []
        }
        case 'turn.failed':
          return failureEvents(asText(asObject(message.error)?.message) || trouble || 'the turn failed')
        case 'turn.completed':
          return [
            {
              type: 'ended',
              ok: true,
              text: cutStart(answer, MAX_ANSWER),
              usage: usageOf(asObject(message.usage)),
            },
          ]
        default:
          return []
      }
    },
    end: exit => failureEvents(trouble || `${describeExit(exit)}, no result`),
  })
}

/** Items that start and complete like a tool call. A to-do list is none: it stays open for the whole turn. */
const isTool = (type: string) =>
  type === 'command_execution' || type === 'file_change' || type === 'web_search' || type.endsWith('_call')

const nameOf = (type: string, item: Fields): string =>
  [asText(item.server), asText(item.tool)].filter(Boolean).join('.') || type

function summaryOf(item: Fields): string {
  const changed = changesOf(item)
  return changed
    ? shortLine(changed)
    : summarize(asObject(item.arguments) ?? pick(item, 'command', 'query', 'url', 'prompt'))
}

/** Leaves out the fields that every item has, which say nothing about the call. */
const pick = (item: Fields, ...keys: string[]): Fields =>
  Object.fromEntries(keys.map(key => [key, item[key]]))

const changesOf = (item: Fields): string =>
  asList(item.changes)
    .map(change => `${asText(asObject(change)?.kind)} ${asText(asObject(change)?.path)}`.trim())
    .join('\n')

const resultOf = (item: Fields): unknown =>
  asText(item.aggregated_output) ||
  asText(asObject(item.error)?.message) ||
  changesOf(item) ||
  asObject(item.result)?.content

const succeeded = ({ status, exit_code }: Fields): boolean =>
  status !== 'failed' && status !== 'declined' && (typeof exit_code !== 'number' || exit_code === 0)

const todosOf = (item: Fields): TodoItem[] =>
  asList(item.items)
    .slice(0, MAX_TODOS)
    .map(asObject)
    .flatMap(todo => {
      const content = shortLine(asText(todo?.text))
      return content === ''
        ? []
        : [
            {
              content,
              status: todo?.completed === true ? 'completed' : 'pending',
              activeForm: content,
            } as const,
          ]
    })

/** Its input already includes cache reads. */
const usageOf = (usage: Fields | null) =>
  usage
    ? {
        input: asCount(usage.input_tokens),
        output: asCount(usage.output_tokens),
        cacheRead: asCount(usage.cached_input_tokens),
        cacheWrite: asCount(usage.cache_write_input_tokens),
      }
    : undefined
