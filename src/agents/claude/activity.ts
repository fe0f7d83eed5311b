import type { AgentEvent } from '../../core/events.ts'
import { asObject, asText, type Fields, summarize } from '../shared/fields.ts'
import { parseObject } from '../shared/json-lines.ts'

/**
 * Reads the lines that ralph's hooks wrote about a claude: which tool calls began and ended. The agent can write such
 * lines too, so nothing else ever comes of them.
 */
export function activityReader(): (line: string) => AgentEvent[] {
  /** The open call of each agent: the main one, which has no id, and its subagents. */
  const open = new Map<string, string>()

  function close(agent: string): AgentEvent[] {
    const id = open.get(agent)
    open.delete(agent)
    return id === undefined ? [] : [{ type: 'toolResult', id, ok: true, output: '', by: 'hooks' }]
  }

  function read(said: Fields): AgentEvent[] {
    const event = asText(said.hook_event_name)
    if (event === 'Stop') return [...open.keys()].flatMap(close)
    const id = asText(said.tool_use_id)
    if (id === '' || (event !== 'PreToolUse' && event !== 'PostToolUse')) return []
    const agent = asText(said.agent_id)
    // Claude runs one command at a time, and calls no hook for one that failed. The next call shows that it is over.
    const before = open.get(agent) === id ? [] : [...close(agent), callOf(id, said, agent)]
    open.set(agent, id)
    return event === 'PreToolUse' ? before : [...before, ...close(agent)]
  }

  return line => {
    const said = parseObject(line)
    return said ? read(said) : []
  }
}

const callOf = (id: string, said: Fields, agent: string): AgentEvent => ({
  type: 'tool',
  id,
  name: asText(said.tool_name),
  summary: summarize(asObject(said.tool_input)),
  ...(agent !== '' && { from: 'subagent' }),
  by: 'hooks',
})
