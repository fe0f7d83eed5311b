import { describe, expect, test } from 'vitest'
import { AGENTS, endedOf, exitOf, linesOf, play, playAll } from './play.ts'

const item = (type: string, more = {}, phase = 'completed') => ({
  type: `item.${phase}`,
  item: { id: 'item_0', type, ...more },
})
const says = (text: unknown) => item('agent_message', { text })
const done = { type: 'turn.completed', usage: { input_tokens: 10, cached_input_tokens: 4, output_tokens: 2 } }
const failed = (message: unknown) => ({ type: 'turn.failed', error: { message } })
const trouble = (message: unknown) => ({ type: 'error', message })
const read = (...messages: unknown[]) => playAll('codex', messages)

describe('a recorded run', () => {
  test('becomes events, in the order in which things happened', () => {
    const lines = linesOf('codex', 'codex-0.166.0-tools-known-model.ndjson')
    expect(play(AGENTS.codex.parser('stream'), lines)).toEqual([
      { type: 'started', session: '01a1e184-3c7b-7a70-902c-55556c0a0cb4' },
      { type: 'text', text: 'I will create hello.txt.' },
      {
        type: 'tool',
        id: 'item_2',
        name: 'command_execution',
        summary: "/bin/bash -lc 'echo hi > hello.txt && cat hello.txt'",
      },
      { type: 'toolResult', id: 'item_2', ok: true, output: 'hi\n' },
      { type: 'text', text: 'Now the notes file.' },
      { type: 'tool', id: 'item_4', name: 'file_change', summary: 'add /project/notes.md' },
      { type: 'toolResult', id: 'item_4', ok: true, output: 'add /project/notes.md' },
      { type: 'tool', id: 'item_5', name: 'file_change', summary: 'add /project/notes2.md' },
      { type: 'toolResult', id: 'item_5', ok: true, output: 'add /project/notes2.md' },
      { type: 'text', text: 'Planning.' },
      { type: 'text', text: 'Running the tests.' },
      {
        type: 'tool',
        id: 'item_8',
        name: 'command_execution',
        summary: '/bin/bash -lc \'echo "1 failing" >&2; exit 3\'',
      },
      { type: 'toolResult', id: 'item_8', ok: false, output: '1 failing\n' },
      { type: 'text', text: 'All done.\n\n<promise>COMPLETE</promise>' },
      {
        type: 'ended',
        ok: true,
        text: 'All done.\n\n<promise>COMPLETE</promise>',
        usage: { input: 20200, output: 285, cacheRead: 14600, cacheWrite: 0 },
      },
    ])
  })

  test('says whenever the CLI tries again', () => {
    const events = play(
      AGENTS.codex.parser('stream'),
      linesOf('codex', 'codex-0.166.0-err-401.ndjson'),
      exitOf(1),
    )
    expect(events.filter(e => e.type === 'retrying').map(e => e.note)).toEqual([
      'Reconnecting... 1/1 (unexpected status 401 Unauthorized: Incorrect API key provided, url: http://127.0.0.1:4000/v1/responses)',
    ])
  })
})

describe('the final text', () => {
  const DONE = '<response>DONE</response>'

  test('is the last message of the turn, not what a tool or a thought says', () => {
    const events = read(
      says(DONE),
      says('Not yet.'),
      item('reasoning', { text: DONE }),
      item('command_execution', { command: 'cat PROMPT.md', aggregated_output: DONE, exit_code: 0 }),
      item('error', { message: DONE }),
      done,
    )
    expect(endedOf(events)).toMatchObject({ ok: true, text: 'Not yet.' })
  })

  test('is missing where the turn did not complete', () => {
    expect(endedOf(read(says(DONE)))).toEqual({
      type: 'ended',
      ok: false,
      text: '',
      error: 'exit code 0, no result',
    })
    expect(endedOf(read(says(DONE), failed('no'))).text).toBe('')
  })
})

describe('the end', () => {
  test('names the turn’s error, or the trouble before it', () => {
    expect(endedOf(read(failed('boom')))).toMatchObject({ ok: false, error: 'boom' })
    expect(endedOf(read(trouble('before'), failed(7)))).toMatchObject({ ok: false, error: 'before' })
    expect(endedOf(read(trouble('before')))).toMatchObject({ ok: false, error: 'before' })
    expect(endedOf(read({ type: 'turn.failed' }))).toMatchObject({ ok: false, error: 'the turn failed' })
  })

  test('is no failure for trouble that passed', () => {
    expect(endedOf(read(trouble('hiccup'), says('Done.'), done))).toMatchObject({ ok: true, text: 'Done.' })
  })

  test.each([undefined, null, 7, { input_tokens: '10' }])('stands with usage %j', usage => {
    expect(endedOf(read({ ...done, usage })).ok).toBe(true)
  })
})

describe('a limit', () => {
  test.each([
    'exceeded retry limit, last status: 429 Too Many Requests',
    "You've hit your usage limit. Upgrade to Pro or try again in 3 hours 20 minutes.",
  ])('%s is reported before the end', note => {
    expect(read(failed(note))).toMatchObject([
      { type: 'limited', note },
      { type: 'ended', ok: false, error: note },
    ])
    expect(read(trouble(note))).toMatchObject([{ type: 'limited' }, { type: 'ended', ok: false }])
  })

  test.each([
    'Quota exceeded. Check your plan and billing details.',
    'unexpected status 401 Unauthorized: Incorrect API key provided, url: http://127.0.0.1/v1/responses',
    'unexpected status 404 Not Found: The model `x` does not exist, url: http://127.0.0.1/v1/responses',
  ])('is none that waiting helps: %s', note => {
    expect(read(failed(note))).toMatchObject([
      { type: 'unusable', note },
      { type: 'ended', ok: false, error: note },
    ])
  })

  test('and a refused key is not tried more than twice', () => {
    const retry = (n: number, why: string) => trouble(`Reconnecting... ${n}/5 (${why})`)
    const key = 'unexpected status 401 Unauthorized: mock'
    expect(read(retry(1, key), done).map(e => e.type)).toEqual(['retrying', 'ended'])
    expect(read(retry(2, 'unexpected status 503: mock'), done).map(e => e.type)).toEqual([
      'retrying',
      'ended',
    ])
    expect(read(retry(1, key), retry(2, key))).toMatchObject([
      { type: 'retrying' },
      { type: 'retrying' },
      { type: 'unusable', note: key },
      { type: 'unusable', note: key },
      { type: 'ended', ok: false, error: key },
    ])
  })

  test('is none while it tries again, nor in what the agent writes', () => {
    const events = read(trouble('Reconnecting... 1/5 (429 Too Many Requests)'), says('usage limit'), done)
    expect(events.map(e => e.type)).toEqual(['retrying', 'text', 'ended'])
  })
})

describe('a tool call', () => {
  test('that completes without having started is still both opened and closed', () => {
    const search = item('web_search', { query: 'node 20' })
    expect(read(search).slice(0, 2)).toEqual([
      { type: 'tool', id: 'item_0', name: 'web_search', summary: 'node 20' },
      { type: 'toolResult', id: 'item_0', ok: true, output: '' },
    ])
  })

  test('is opened once, however often it is updated', () => {
    const run = (phase: string) => item('command_execution', { command: 'ls' }, phase)
    expect(read(run('started'), run('started'), run('updated'), run('completed')).map(e => e.type)).toEqual([
      'tool',
      'toolResult',
      'ended',
    ])
  })

  test('may be made again under the same id', () => {
    const run = (phase: string) => item('command_execution', { command: 'ls' }, phase)
    const events = read(run('started'), run('completed'), run('started'), run('completed'))
    expect(events.filter(e => e.type === 'tool')).toHaveLength(2)
  })

  test('of a server is named by both', () => {
    const call = item('mcp_tool_call', {
      server: 'docs',
      tool: 'find',
      arguments: { query: 'x' },
      result: { content: [{ type: 'text', text: 'found' }] },
      status: 'completed',
    })
    expect(read(call).slice(0, 2)).toEqual([
      { type: 'tool', id: 'item_0', name: 'docs.find', summary: 'x' },
      { type: 'toolResult', id: 'item_0', ok: true, output: 'found' },
    ])
    expect(read(item('mcp_tool_call', { error: { message: 'gone' }, status: 'failed' }))[1]).toMatchObject({
      ok: false,
      output: 'gone',
    })
  })

  test.each([
    [{ status: 'failed' }, false],
    [{ status: 'declined' }, false],
    [{ exit_code: 1, status: 'completed' }, false],
    [{ exit_code: null, status: 'completed' }, true],
  ])('with %j is ok: %s', (more, ok) => {
    expect(read(item('command_execution', more))[1]).toMatchObject({ type: 'toolResult', ok })
  })
})

test('its to-do list is reported as it changes, and is no open call', () => {
  const list = (completed: boolean, phase: string) =>
    item('todo_list', { items: [{ text: 'A', completed }, {}, 7] }, phase)
  const todo = (status: string) => ({ type: 'todo', items: [{ content: 'A', status, activeForm: 'A' }] })
  expect(read(list(false, 'started'), list(true, 'updated'), done).slice(0, -1)).toEqual([
    todo('pending'),
    todo('completed'),
  ])
})
