import { describe, expect, test } from 'vitest'
import { AGENTS, endedOf, exitOf, linesOf, play, playAll } from './play.ts'

const says = (text: string, more = {}) => ({
  type: 'assistant',
  message: { content: [{ type: 'text', text }] },
  parent_tool_use_id: null,
  ...more,
})
const calls = (name: string, input: unknown, id = 't1', more = {}) => ({
  type: 'assistant',
  message: { content: [{ type: 'tool_use', id, name, input }] },
  parent_tool_use_id: null,
  ...more,
})
const answers = (content: unknown, id = 't1', more = {}) => ({
  type: 'user',
  message: { content: [{ type: 'tool_result', tool_use_id: id, content }] },
  parent_tool_use_id: null,
  ...more,
})
const result = (more = {}) => ({
  type: 'result',
  subtype: 'success',
  is_error: false,
  result: 'Done.',
  ...more,
})
const failed = (text: string, more = {}) => result({ is_error: true, result: text, ...more })
const bySubagent = { parent_tool_use_id: 't0' }
const read = (...messages: unknown[]) => playAll('claude', messages)

test.each([
  ['none', 'its own login'],
  ['ANTHROPIC_API_KEY', 'ANTHROPIC_API_KEY'],
  [undefined, undefined],
])('a key source of %s is paid by %s', (apiKeySource, auth) => {
  expect(read({ type: 'system', subtype: 'init', apiKeySource })[0]).toMatchObject({ type: 'started', auth })
})

const DONE = '<response>DONE</response>'

describe('a recorded run', () => {
  test('becomes events, in the order in which things happened', () => {
    const lines = linesOf('claude', 'claude-2.1.325-stream-tools.ndjson')
    expect(play(AGENTS.claude.parser('stream'), lines)).toEqual([
      {
        type: 'started',
        session: '7791a09c-0fc8-4534-b251-ef4c1eda2656',
        model: 'claude-opus-5-5',
        auth: 'ANTHROPIC_API_KEY',
      },
      { type: 'text', text: 'I will create hello.txt.' },
      { type: 'tool', id: 'toolu_mock0001', name: 'Bash', summary: 'echo hi > hello.txt && cat hello.txt' },
      { type: 'toolResult', id: 'toolu_mock0001', ok: true, output: 'hi' },
      { type: 'text', text: 'Now the notes file.' },
      {
        type: 'tool',
        id: 'toolu_mock0004',
        name: 'Write',
        summary: '/project/notes.md',
        diff: ['+# Notes', '+', '+first line'],
      },
      {
        type: 'toolResult',
        id: 'toolu_mock0004',
        ok: true,
        output:
          'File created successfully at: /project/notes.md (file state is current in your context — no need to Read it back)',
      },
      {
        type: 'tool',
        id: 'toolu_mock0007',
        name: 'Edit',
        summary: '/project/notes.md',
        diff: ['-first line', '+second line'],
      },
      { type: 'tool', id: 'toolu_mock0008', name: 'Read', summary: '/project/hello.txt' },
      {
        type: 'toolResult',
        id: 'toolu_mock0007',
        ok: true,
        output:
          'The file /project/notes.md has been updated successfully. (file state is current in your context — no need to Read it back)',
      },
      { type: 'toolResult', id: 'toolu_mock0008', ok: true, output: '1\thi\n2\t' },
      { type: 'text', text: 'Tracking the work.' },
      { type: 'tool', id: 'toolu_mock0011', name: 'TodoWrite', summary: '' },
      { type: 'todo', items: [{ content: 'Write notes', status: 'completed', activeForm: 'Writing notes' }] },
      {
        type: 'toolResult',
        id: 'toolu_mock0011',
        ok: false,
        output:
          '<tool_use_error>Error: No such tool available: TodoWrite. TodoWrite is disabled for this session, in subagents as well as here.</tool_use_error>',
      },
      { type: 'text', text: 'Running the tests.' },
      { type: 'tool', id: 'toolu_mock0014', name: 'Bash', summary: 'echo "1 failing" >&2; exit 3' },
      { type: 'toolResult', id: 'toolu_mock0014', ok: false, output: 'Exit code 3\n1 failing' },
      { type: 'text', text: 'All done.\n\n<promise>COMPLETE</promise>' },
      { type: 'answered' },
      {
        type: 'ended',
        ok: true,
        text: 'All done.\n\n<promise>COMPLETE</promise>',
        usage: { input: 88022, output: 416, cacheRead: 72930, cacheWrite: 15060 },
        costUsd: 0.09833400000000002,
        denials: 0,
      },
    ])
  })

  test('says whenever the CLI tries again', () => {
    const events = play(
      AGENTS.claude.parser('stream'),
      linesOf('claude', 'claude-2.1.325-err-429-then-ok.ndjson'),
    )
    expect(events.filter(e => e.type === 'retrying').map(e => e.note)).toEqual([
      'retry 1 of 10: rate_limit 429',
      'retry 2 of 10: rate_limit 429',
    ])
  })
})

test('the lines of the first format, which say of the end only what it was, become events too', () => {
  const events = read(
    { type: 'system', session_id: 's1' },
    { type: 'assistant', message: { content: [{ type: 'text', text: 'Hello.' }] } },
    {
      type: 'assistant',
      message: { content: [{ type: 'tool_use', id: 't1', name: 'Bash', input: { command: 'ls' } }] },
    },
    {
      type: 'user',
      message: { content: [{ type: 'tool_result', tool_use_id: 't1', content: 'a', is_error: false }] },
    },
    {
      type: 'result',
      result: DONE,
      total_cost_usd: 0.05,
      usage: {
        input_tokens: 1000,
        output_tokens: 500,
        cache_read_input_tokens: 800,
        cache_creation_input_tokens: 0,
      },
    },
  )
  expect(events.map(({ type }) => type)).toEqual([
    'started',
    'text',
    'tool',
    'toolResult',
    'answered',
    'ended',
  ])
  expect(endedOf(events)).toEqual({
    type: 'ended',
    ok: true,
    text: DONE,
    costUsd: 0.05,
    denials: 0,
    usage: { input: 1800, output: 500, cacheRead: 800, cacheWrite: 0 },
  })
})

describe('the final text', () => {
  test('is the main agent’s own: not a subagent’s, a tool’s, nor the prompt', () => {
    const events = read(
      { type: 'user', message: { content: DONE }, parent_tool_use_id: null },
      { type: 'user', message: { content: [{ type: 'text', text: DONE }] }, parent_tool_use_id: null },
      says(DONE, bySubagent),
      answers(DONE),
      answers([{ type: 'text', text: DONE }], 't2', bySubagent),
      { type: 'system', subtype: 'task_notification', summary: DONE },
      { type: 'system', subtype: 'hook_response', output: DONE },
      result({ result: 'Not yet.' }),
    )
    expect(endedOf(events).text).toBe('Not yet.')
    expect(events.filter(e => e.type === 'text')).toEqual([{ type: 'text', text: DONE, from: 'subagent' }])
  })

  test('is missing where the result is, whatever was said before', () => {
    expect(endedOf(read(says(DONE)))).toEqual({
      type: 'ended',
      ok: false,
      text: '',
      error: 'exit code 0, no result',
    })
    expect(endedOf(read(says(DONE), result({ result: '' }))).text).toBe('')
    expect(endedOf(read(says(DONE), result({ result: [DONE] }))).text).toBe('')
  })

  test('of a recorded run with a subagent that promises is not the promise', () => {
    const events = play(AGENTS.claude.parser('stream'), linesOf('claude', 'claude-2.1.325-subagent.ndjson'))
    expect(endedOf(events).text).toBe('Main is not done yet.')
    expect(events.filter(e => 'from' in e)).toEqual([
      { type: 'tool', id: 'toolu_mock0004', name: 'Bash', summary: 'ls', from: 'subagent' },
      {
        type: 'toolResult',
        id: 'toolu_mock0004',
        ok: true,
        output: '(Bash completed with no output)',
        from: 'subagent',
      },
    ])
  })
})

describe('the end', () => {
  test('is known with the result, and reported with the exit: another result may follow', () => {
    const parser = AGENTS.claude.parser('stream')
    expect(parser.line(JSON.stringify(result()))).toEqual([{ type: 'answered' }])
    expect(parser.end(exitOf(1))).toMatchObject([{ type: 'ended', ok: true }])
  })

  test('is what the last result says, with its cost and the tokens of all', () => {
    const usage = { input_tokens: 10, output_tokens: 1 }
    const events = read(
      result({ result: DONE, total_cost_usd: 0.1, usage }),
      says('The tests are red.'),
      result({ result: 'Not yet.', total_cost_usd: 0.3, usage }),
    )
    expect(events.filter(e => e.type === 'ended')).toMatchObject([
      { ok: true, text: 'Not yet.', costUsd: 0.3, usage: { input: 20, output: 2 } },
    ])
  })

  const init = { type: 'system', subtype: 'init' }
  test.each([
    ['at once', []],
    ['after a subagent spoke', [says(DONE, bySubagent)]],
    [
      'after a tool’s output',
      [{ type: 'user', message: { content: [{ type: 'tool_result', tool_use_id: 't', content: DONE }] } }],
    ],
    ['after a note of the system', [{ type: 'system', subtype: 'task_notification', summary: DONE }]],
    [
      'after the end of background tasks',
      [{ type: 'system', subtype: 'background_tasks_changed', tasks: [] }],
    ],
    ['after a third one like it', [result({ result: DONE })]],
  ])('is not what a further result says that ends no turn: %s', (_, between) => {
    const events = read(init, says('x'), result({ result: 'not yet' }), ...between, result({ result: DONE }))
    expect(endedOf(events)).toMatchObject({ ok: true, text: 'not yet' })
  })

  test('is not what a subagent’s result says, first or last', () => {
    const events = read(
      init,
      result({ result: DONE, ...bySubagent }),
      says('x'),
      result({ result: 'not yet' }),
      result({ result: DONE, ...bySubagent }),
    )
    expect(endedOf(events)).toMatchObject({ ok: true, text: 'not yet' })
  })

  test('is the last of two results whose turns had both begun', () => {
    const events = read(init, says('a'), init, says('b'), result({ result: DONE }), result({ result: 'no' }))
    expect(endedOf(events)).toMatchObject({ ok: true, text: 'no' })
  })

  test('is not there while a background task or a later turn is open', () => {
    const open = (...tasks: unknown[]) => ({ type: 'system', subtype: 'background_tasks_changed', tasks })
    const parser = AGENTS.claude.parser('stream')
    const types = (message: unknown) => parser.line(JSON.stringify(message)).map(e => e.type)
    expect(types(open({ task_id: 'a' }, { task_id: 'b' }))).toEqual(['background'])
    expect(types(result({ result: DONE }))).toEqual([])
    expect(types(open({ task_id: 'b' }))).toEqual(['background'])
    expect(types(open())).toEqual(['background', 'answered'])
    expect(types({ type: 'system', subtype: 'task_updated' })).toEqual(['answered'])
    expect(types({ type: 'system', subtype: 'init' })).toEqual(['started'])
    expect(types(says('SUB', bySubagent))).toEqual(['text'])
    expect(parser.end(exitOf(0))).toMatchObject([
      { type: 'ended', ok: false, text: '', error: 'exit code 0, no result after the last background task' },
    ])
  })

  test('is no good one where the process is gone with a task still open', () => {
    const tasks = [{ task_id: 'a' }]
    const events = read(
      { type: 'system', subtype: 'background_tasks_changed', tasks },
      result({ result: DONE }),
    )
    expect(endedOf(events)).toMatchObject({ ok: false, text: '' })
  })

  test.each([
    [
      'another subtype',
      { subtype: 'error_max_turns', result: undefined, errors: ['one', 2, 'two'] },
      'one\ntwo',
    ],
    [
      'a subtype and nothing else',
      { subtype: 'error_during_execution', result: undefined },
      'error_during_execution',
    ],
    ['an error under the subtype success', { is_error: true, result: 'API Error' }, 'API Error'],
    ['no subtype', { subtype: undefined, result: undefined }, 'a result without a reason'],
    ['an is_error that is no boolean', { is_error: 'false', result: 'odd' }, 'odd'],
  ])('is not ok with %s', (_, more, error) => {
    expect(endedOf(read(result(more)))).toMatchObject({ ok: false, error })
  })

  test('is not ok after an interruption, even if the result is', () => {
    const stop = (text: string) => ({ type: 'user', message: { content: [{ type: 'text', text }] } })
    const events = read(says('hm'), stop('[Request interrupted by user]'), result())
    expect(endedOf(events)).toMatchObject({ ok: false, error: 'interrupted' })
    expect(endedOf(read(stop('[Request interrupted by user for tool use]'), result())).ok).toBe(false)
    expect(endedOf(read(stop('[Request interrupted by user]'), says('On with it.'), result())).ok).toBe(true)
    expect(endedOf(read(stop('[Request interrupted by user]'), says('Late.', bySubagent), result())).ok).toBe(
      false,
    )
    expect(endedOf(read({ ...stop('[Request interrupted by user]'), ...bySubagent }, result())).ok).toBe(true)
  })

  test('without usage or cost claims none', () => {
    const { usage, costUsd } = endedOf(read(result()))
    expect([usage, costUsd]).toEqual([undefined, undefined])
  })

  test('counts only tokens that are numbers', () => {
    const usage = {
      input_tokens: 1,
      output_tokens: '2',
      cache_read_input_tokens: -3,
      cache_creation_input_tokens: 4,
    }
    expect(endedOf(read(result({ usage, total_cost_usd: 0 })))).toMatchObject({
      usage: { input: 5, output: 0, cacheRead: 0, cacheWrite: 4 },
      costUsd: 0,
    })
  })

  test('counts refusals for want of permission, not those of a hook', () => {
    const refusal = (id: string, source: string) =>
      answers('no', id, { tool_result_meta: [{ id, permission_decision: { decision: 'reject', source } }] })
    const denials = ['a', 'b', 'c'].map(tool_use_id => ({ tool_use_id }))
    const events = read(refusal('a', 'hook'), refusal('b', 'config'), result({ permission_denials: denials }))
    expect(endedOf(events).denials).toBe(2)
  })
})

describe('a limit', () => {
  const limits = (...messages: unknown[]) => read(...messages).filter(e => e.type === 'limited')
  const at = (status: string) => ({
    type: 'rate_limit_event',
    rate_limit_info: { status, resetsAt: 1774447200 },
  })

  test.each([
    ['by its status', failed('slow down', { api_error_status: 429 })],
    ['as overload', failed('busy', { api_error_status: 529 })],
    ['by its words', failed("You've hit your weekly limit")],
  ])('is known %s and reported before the end', (_, message) => {
    const events = read(message).filter(e => e.type !== 'answered')
    expect(events).toMatchObject([
      { type: 'limited', note: message.result },
      { type: 'ended', ok: false },
    ])
    expect(events[0]).not.toHaveProperty('resetsAt')
  })

  test.each([
    failed('Invalid API key · Fix external API key', { api_error_status: 401 }),
    failed('Credit balance is too low', { api_error_status: 400 }),
    failed("There's an issue with the selected model (nope).", { api_error_status: 404 }),
  ])('is none that waiting helps: $result', message => {
    const events = read(message).filter(e => e.type !== 'answered')
    expect(events).toMatchObject([
      { type: 'unusable', note: message.result },
      { type: 'ended', ok: false },
    ])
  })

  test('and a refused key is not tried more than twice', () => {
    const retry = (attempt: number, error_status: number) => ({
      type: 'system',
      subtype: 'api_retry',
      attempt,
      max_retries: 10,
      error_status,
      error: 'authentication_failed',
    })
    const types = (...messages: unknown[]) => read(...messages).map(e => e.type)
    expect(types(retry(1, 401))).toEqual(['retrying', 'ended'])
    expect(types(retry(2, 529))).toEqual(['retrying', 'ended'])
    expect(read(retry(1, 401), retry(2, 401)).slice(1)).toMatchObject([
      { type: 'retrying' },
      { type: 'unusable', note: 'authentication_failed 401' },
      { type: 'ended', ok: false, error: 'authentication_failed 401' },
    ])
  })

  test.each([401, 400, 404, 500, null])('is no error of status %s', status => {
    expect(limits(failed('API Error', { api_error_status: status }))).toEqual([])
  })

  test('is not what an agent merely writes about', () => {
    expect(limits(says('usage limit reached'), result({ result: 'usage limit reached|1774447200' }))).toEqual(
      [],
    )
  })

  test('has the reset of the event before it', () => {
    const event = at('rejected')
    expect(limits(event, failed("You've hit your limit"))).toMatchObject([{ resetsAt: 1774447200_000 }])
    expect(limits(event, says("You've hit your limit", { error: 'rate_limit' }))).toMatchObject([
      { resetsAt: 1774447200_000 },
    ])
  })

  test('is none as long as requests are let through', () => {
    expect(limits(at('allowed_warning'), result())).toEqual([])
    expect(limits(at('rejected'), result())).toEqual([])
    expect(limits(at('allowed'), failed('API Error', { api_error_status: 500 }))).toEqual([])
    expect(limits(at('rejected'), says('On extra usage now.'))).toEqual([])
    expect(limits(at('rejected'), at('allowed'))).toEqual([])
  })

  test('of the account says nothing about an overloaded service', () => {
    const [limited] = limits(at('rejected'), failed('API Error: 529 Overloaded', { api_error_status: 529 }))
    expect(limited).not.toHaveProperty('resetsAt')
  })
})

describe('a tool call', () => {
  const summary = (input: unknown) =>
    read(calls('Tool', input)).flatMap(e => (e.type === 'tool' ? [e.summary] : []))[0]

  test.each([
    [{ description: 'List', command: 'ls\n  -la\t/tmp' }, 'ls -la /tmp'],
    [{ content: 'long', file_path: '/a/b' }, '/a/b'],
    [{ content: 'long', filePath: '/a/b' }, '/a/b'],
    [{ description: 'Look', prompt: 'Look at everything' }, 'Look'],
    [{ pattern: '*.ts', path: 'src' }, 'src'],
    [{ command: ['git', 'status'] }, 'git status'],
    [{ odd: 'only this' }, 'only this'],
    [{ command: '', url: 'http://x' }, 'http://x'],
    [{ n: 3 }, ''],
    [null, ''],
    ['ls', ''],
    [{ command: 'x'.repeat(500) }, 'x'.repeat(200)],
    [{ command: `${'x'.repeat(199)}😀` }, 'x'.repeat(199)],
  ])('%j is told as %j', (input, line) => expect(summary(input)).toBe(line))

  test.each([
    ['text', 'text'],
    [
      [
        { type: 'text', text: 'a' },
        { type: 'text', text: 'b' },
      ],
      'a\nb',
    ],
    [[{ type: 'image', source: {} }, 7], '[image]\n[unknown]'],
    [undefined, ''],
    ['z'.repeat(200_000), 'z'.repeat(100_000)],
    [[{ type: 'text', text: 'z'.repeat(200_000) }], 'z'.repeat(100_000)],
  ])('gives back what it holds (%#)', (content, output) => {
    expect(read(answers(content))[0]).toEqual({ type: 'toolResult', id: 't1', ok: true, output })
  })

  test('without an id cannot be closed, so it is not opened', () => {
    expect(read(calls('Bash', { command: 'ls' }, ''))).toHaveLength(1)
  })
})

describe('the agent’s own list', () => {
  const lists = (...messages: unknown[]) =>
    read(...messages).flatMap(e =>
      e.type === 'todo' ? [e.items.map(i => `${i.id ?? '-'} ${i.content} ${i.status}`)] : [],
    )

  test('is written whole', () => {
    const todos = [
      { content: 'A', status: 'done?' },
      { status: 'pending' },
      null,
      { content: 'B', status: 'in_progress' },
    ]
    expect(lists(calls('TodoWrite', { todos }), calls('TodoWrite', { todos: 'none' }))).toEqual([
      ['- A pending', '- B in_progress'],
      [],
    ])
  })

  test('is written task by task', () => {
    expect(
      lists(
        calls('TaskCreate', { subject: 'A', activeForm: 'Doing A' }, 'c1'),
        calls('TaskCreate', { subject: 'B' }, 'c2'),
        answers('Task #1 created', 'c1', { tool_use_result: { task: { id: '1' } } }),
        answers('Task #7 created', 'c2', { tool_use_result: { task: { id: '7' } } }),
        calls('TaskUpdate', { taskId: '7', status: 'in_progress', subject: 'B2' }),
        calls('TaskUpdate', { taskId: '1', status: 'deleted' }),
        calls('TaskUpdate', { taskId: 'nobody', status: 'completed' }),
      ),
    ).toEqual([
      ['1 A pending'],
      ['1 A pending', '2 B pending'],
      ['1 A pending', '7 B pending'],
      ['1 A pending', '7 B2 in_progress'],
      ['7 B2 in_progress'],
      ['7 B2 in_progress'],
    ])
  })

  test('keeps a task under its number where the answer names none', () => {
    expect(
      lists(
        calls('TaskCreate', { subject: 'A' }, 'c1'),
        answers('Task created', 'c1'),
        calls('TaskUpdate', { taskId: '1', status: 'completed' }),
      ),
    ).toEqual([['1 A pending'], ['1 A completed']])
  })

  test('loses a task that could not be created', () => {
    const refused = {
      type: 'user',
      message: { content: [{ type: 'tool_result', tool_use_id: 'c1', is_error: true, content: 'no' }] },
    }
    expect(lists(calls('TaskCreate', { subject: 'A' }, 'c1'), refused)).toEqual([['1 A pending'], []])
  })

  test('is not a subagent’s', () => {
    expect(lists(calls('TodoWrite', { todos: [{ content: 'A' }] }, 't1', bySubagent))).toEqual([])
  })
})

test('content may also be plain text', () => {
  const plain = (type: string, content: string) => ({ type, message: { content }, parent_tool_use_id: null })
  expect(read(plain('assistant', 'Hello.'))[0]).toEqual({ type: 'text', text: 'Hello.' })
  const interrupted = read(plain('user', '[Request interrupted by user]'), result())
  expect(endedOf(interrupted)).toMatchObject({ ok: false, error: 'interrupted' })
})
