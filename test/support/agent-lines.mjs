/** What a scripted agent prints, by the name of the act; see the head of fake-agent.mjs. */
export const printed = {
  print: (...lines) => lines.map(line => `${line}\n`).join(''),
  json: (...values) => values.map(value => `${JSON.stringify(value)}\n`).join(''),
  write: text => text,
  claude: (text, more = {}) =>
    printed.json(
      {
        type: 'system',
        subtype: 'init',
        session_id: 'fake',
        model: 'fake-1',
        tools: ['Bash'],
        apiKeySource: 'none',
      },
      message('assistant', [{ type: 'text', text }]),
      {
        type: 'result',
        subtype: 'success',
        is_error: false,
        result: text,
        num_turns: 1,
        session_id: 'fake',
        total_cost_usd: 0.01,
        usage: {
          input_tokens: 10,
          output_tokens: 5,
          cache_read_input_tokens: 0,
          cache_creation_input_tokens: 0,
        },
        ...more,
      },
    ),
  tool: (id, name, input) => printed.json(message('assistant', [{ type: 'tool_use', id, name, input }])),
  toolResult: (id, content) =>
    printed.json(message('user', [{ type: 'tool_result', tool_use_id: id, content, is_error: false }])),
}

const message = (type, content) => ({ type, message: { role: type, content }, session_id: 'fake' })
