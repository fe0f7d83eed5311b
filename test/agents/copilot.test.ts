import { describe, expect, test } from 'vitest'
import { AGENTS, endedOf, exitOf, linesOf, play, playAll } from './play.ts'

const line = (type: string, data: unknown, more = {}) => ({ type, data, ...more })
const bySubagent = { agentId: 'a1' }
const says = (content: unknown, more = {}) => line('assistant.message', { content, toolRequests: [] }, more)
const begins = (data: object, more = {}) =>
  line('tool.execution_start', { toolCallId: 'c1', toolName: 'bash', ...data }, more)
const ends = (data: object, more = {}) =>
  line('tool.execution_complete', { toolCallId: 'c1', success: true, ...data }, more)
const trouble = (message: string, statusCode?: number, more = {}) =>
  line('session.error', { errorType: 'query', message, statusCode }, more)
const result = (exitCode: unknown) => ({ type: 'result', sessionId: 's', exitCode })
const read = (...messages: unknown[]) => playAll('copilot', messages)
const DONE = '<response>DONE</response>'

describe('a recorded run', () => {
  test('becomes events, in the order in which things happened', () => {
    const lines = linesOf('copilot', 'copilot-1.0.102-tools.ndjson')
    expect(play(AGENTS.copilot.parser('stream'), lines)).toEqual([
      { type: 'started', model: 'mock-model' },
      { type: 'text', text: 'I will create hello.txt.' },
      { type: 'tool', id: 'call_mock0003', name: 'bash', summary: 'echo hi > hello.txt && cat hello.txt' },
      {
        type: 'toolResult',
        id: 'call_mock0003',
        ok: true,
        output: 'hi\n<shellId: 0 completed with exit code 0>',
      },
      { type: 'text', text: 'Now the notes.' },
      { type: 'tool', id: 'call_mock0005', name: 'create', summary: '/project/notes.md' },
      {
        type: 'toolResult',
        id: 'call_mock0005',
        ok: true,
        output: 'Created file /project/notes.md with 8 characters',
      },
      { type: 'text', text: 'Running the tests.' },
      { type: 'tool', id: 'call_mock0007', name: 'bash', summary: 'echo "1 failing" >&2; exit 3' },
      {
        type: 'toolResult',
        id: 'call_mock0007',
        ok: false,
        output: '1 failing\n<shellId: 1 completed with exit code 3>',
      },
      { type: 'text', text: 'All done.\n\n<promise>COMPLETE</promise>' },
      { type: 'ended', ok: true, text: 'All done.\n\n<promise>COMPLETE</promise>', denials: 0 },
    ])
  })

  test('with a subagent that promises sets it apart', () => {
    const events = play(
      AGENTS.copilot.parser('stream'),
      linesOf('copilot', 'copilot-1.0.102-subagent.ndjson'),
    )
    expect(events.filter(e => 'from' in e)).toEqual([
      { type: 'text', text: 'Sub works.', from: 'subagent' },
      { type: 'tool', id: 'call_mock0004', name: 'bash', summary: 'ls', from: 'subagent' },
      {
        type: 'toolResult',
        id: 'call_mock0004',
        ok: true,
        output: '\n<shellId: 0 completed with exit code 0>',
        from: 'subagent',
      },
      { type: 'text', text: 'Sub says <promise>COMPLETE</promise>', from: 'subagent' },
    ])
    expect(endedOf(events).text).toBe('Main is not done yet.')
  })

  test('says whenever the CLI tries again', () => {
    const lines = linesOf('copilot', 'copilot-1.0.102-err-401.ndjson')
    const events = play(AGENTS.copilot.parser('stream'), lines, exitOf(1))
    expect(events.filter(e => e.type === 'retrying').map(e => e.note)).toEqual([
      'transient_auth_error',
      'transient_auth_error',
    ])
  })
})

describe('the final text', () => {
  test('is the main agent’s last message: not a subagent’s, a tool’s, nor the prompt', () => {
    const events = read(
      line('user.message', { content: DONE }),
      says(DONE),
      begins({}),
      line('tool.shell_output', { text: DONE }),
      ends({ result: { content: DONE } }),
      says('Not yet.'),
      says(DONE, bySubagent),
      line('assistant.message_delta', { deltaContent: DONE }),
      result(0),
    )
    expect(endedOf(events)).toMatchObject({ ok: true, text: 'Not yet.' })
  })
})

describe('the end', () => {
  test('is missing where the result is, whatever was said before', () => {
    expect(endedOf(read(says(DONE)))).toMatchObject({ ok: false, text: '', error: 'exit code 0, no result' })
    expect(endedOf(read(trouble('boom')))).toMatchObject({ ok: false, error: 'boom' })
  })

  test.each([
    [1, 'exit code 1'],
    ['0', 'a result without a reason'],
    [undefined, 'a result without a reason'],
  ])('is not ok with exit code %j', (exitCode, why) => {
    expect(endedOf(read(says('Done.'), result(exitCode)))).toMatchObject({ ok: false, error: why })
  })

  test('names the session’s error, not a subagent’s nor one that passed', () => {
    expect(endedOf(read(trouble('boom', 500), result(1))).error).toBe('boom')
    expect(endedOf(read(trouble('boom', 500, bySubagent), result(1))).error).toBe('exit code 1')
    expect(endedOf(read(trouble('boom', 500), says('On with it.'), result(1))).error).toBe('exit code 1')
  })

  test('claims no tokens, because the CLI reports none', () => {
    expect(endedOf(read(says('Done.'), result(0))).usage).toBeUndefined()
  })
})

describe('a limit', () => {
  test.each([trouble('retried 5 times, last error: slow down', 429)])(
    'is reported before the end (%#)',
    message => {
      expect(read(message, result(1))).toMatchObject([{ type: 'limited' }, { type: 'ended', ok: false }])
      expect(read(message)).toMatchObject([{ type: 'limited' }, { type: 'ended', ok: false }])
    },
  )

  test('is no error of another status, nor what an agent writes', () => {
    expect(read(trouble('boom', 500), result(1)).map(e => e.type)).toEqual(['ended'])
    expect(read(says('rate limit'), result(1)).map(e => e.type)).toEqual(['text', 'ended'])
  })
})

describe('a tool call', () => {
  test.each([
    [{ result: { content: 'x' } }, true, 'x'],
    [{ result: { content: 'x' }, shellExecution: { exitCode: 3 } }, false, 'x'],
    [{ success: false, error: { message: 'gone' } }, false, 'gone'],
    [{ success: undefined }, false, ''],
  ])('%j is ok: %s', (data, ok, output) => {
    expect(read(ends(data))[0]).toEqual({ type: 'toolResult', id: 'c1', ok, output })
  })

  test('that was not permitted is counted, a subagent’s too', () => {
    const denied = { success: false, error: { message: 'no', code: 'denied' } }
    expect(endedOf(read(ends(denied), ends(denied, bySubagent), result(0))).denials).toBe(2)
    expect(endedOf(read(ends({ success: false, error: { message: 'no' } }), result(0))).denials).toBe(0)
  })
})

test('the model is named once', () => {
  const updated = line('session.tools_updated', { model: 'm' })
  expect(read(updated, updated).filter(e => e.type === 'started')).toEqual([{ type: 'started', model: 'm' }])
})
