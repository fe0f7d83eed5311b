import { describe, expect, test } from 'vitest'
import { AGENTS, type Cli, endedOf, exitOf, play, playAll } from './play.ts'

/** What only looks like a message of this CLI, besides what is none of any. */
const NO_MESSAGES: [Cli, string[]][] = [
  [
    'claude',
    [
      '{"type":"assis',
      ...['null', '7', '[]', '{}', '{"type":7}', '{"__proto__":{"type":"result"}}'],
      ...['{"type":"assistant"}', '{"type":"assistant","message":{"content":7}}'],
      '{"type":"user","message":null}',
    ],
  ],
  [
    'codex',
    [
      ...['null', '[]', '{"type":"item.completed"}', '{"type":"item.completed","item":{"id":"a"}}'],
      '{"type":"item.completed","item":{"id":"a","type":"agent_message","text":7}}',
      '{"type":"item.completed","item":{"id":7,"type":"web_search"}}',
    ],
  ],
  [
    'gemini',
    ['{"type":"message","role":"assistant"}', '{"type":"tool_use","tool_id":7}', '{"type":"tool_result"}'],
  ],
  [
    'copilot',
    [
      ...['{"type":"assistant.message"}', '{"type":"assistant.message","data":{"content":7}}'],
      ...['{"type":"tool.execution_start","data":{}}', '{"type":"tool.execution_complete","data":{}}'],
    ],
  ],
  [
    'opencode',
    ['{"type":"text"}', '{"type":"text","part":{"text":7}}', '{"type":"tool_use","part":{"callID":"c1"}}'],
  ],
]

/** Messages that say nothing to ralph. */
const SILENT: [Cli, string[]][] = [
  ['claude', ['  ', '{"type":"stream_event"}', '{"type":"system","subtype":"new"}']],
  ['codex', ['{"type":"turn.started"}', '{"type":"item.completed","item":{"type":"hologram"}}']],
  ['gemini', ['{"type":"hologram"}']],
  ['copilot', ['{"type":"assistant.idle","data":{}}']],
  ['opencode', ['{"type":"reasoning","part":{"text":"hm"}}']],
]

const read = (cli: Cli, line: string) => play(AGENTS[cli].parser('stream'), [line])
const eachOf = (table: [Cli, string[]][], common: string) =>
  table.flatMap(([cli, lines]) => [common, ...lines].map(line => [cli, line] as const))

describe('a line', () => {
  test.each(eachOf(NO_MESSAGES, 'rubbish'))('of %s that is no message is handed on: %s', (cli, line) =>
    expect(read(cli, line)[0]).toEqual({ type: 'unparsed', line }),
  )

  test.each(eachOf(SILENT, ''))('of %s that says nothing is passed over: %j', (cli, line) =>
    expect(read(cli, line)).toHaveLength(1),
  )

  test('that is no message is cut to a readable length', () => {
    expect(read('claude', 'x'.repeat(9000))[0]).toEqual({ type: 'unparsed', line: 'x'.repeat(2000) })
  })
})

const part = { messageID: 'm1', sessionID: 's1' }
const COPILOT_END = { type: 'result', sessionId: 's', exitCode: 0 }

test.each<[Cli, (text: string) => object[]]>([
  ['claude', result => [{ type: 'result', subtype: 'success', is_error: false, result }]],
  [
    'codex',
    text => [
      { type: 'item.completed', item: { id: 'item_0', type: 'agent_message', text } },
      { type: 'turn.completed' },
    ],
  ],
  [
    'gemini',
    content => [
      { type: 'message', role: 'assistant', content, delta: true },
      { type: 'result', status: 'success' },
    ],
  ],
  ['copilot', content => [{ type: 'assistant.message', data: { content, toolRequests: [] } }, COPILOT_END]],
  [
    'opencode',
    text => [
      { type: 'text', sessionID: 's1', part: { ...part, text } },
      { type: 'step_finish', sessionID: 's1', part: { ...part, reason: 'stop' } },
    ],
  ],
])('of a very long answer of %s the end is kept', (cli, messages) => {
  const text = `${'x'.repeat(2_000_000)}<response>DONE</response>`
  expect(endedOf(playAll(cli, messages(text))).text).toBe(text.slice(-1024 * 1024))
})

test.each<[Cli, object, object]>([
  ['codex', { type: 'turn.completed' }, { type: 'turn.failed', error: { message: 'late' } }],
  ['gemini', { type: 'result', status: 'success' }, { type: 'result', status: 'error' }],
  ['copilot', COPILOT_END, { ...COPILOT_END, exitCode: 1 }],
])('the end of %s is reported with its result, once, and what follows does not count', (cli, end, late) => {
  const parser = AGENTS[cli].parser('stream')
  expect(parser.line(JSON.stringify(end))).toMatchObject([{ type: 'ended', ok: true }])
  expect(parser.line(JSON.stringify(late))).toEqual([])
  expect(parser.end(exitOf(1))).toEqual([])
})
