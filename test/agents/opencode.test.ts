import { describe, expect, test } from 'vitest'
import { AGENTS, endedOf, exitOf, linesOf, play, playAll } from './play.ts'

const line = (type: string, part: object, messageID = 'm1', sessionID = 's1') => ({
  type,
  sessionID: 's1',
  part: { messageID, sessionID, ...part },
})
const start = (message?: string) => line('step_start', {}, message)
const says = (text: unknown, message?: string, session?: string) => line('text', { text }, message, session)
const finish = (reason: string, message?: string, more = {}) =>
  line('step_finish', { reason, ...more }, message)
const tool = (state: object, name = 'bash', session?: string) =>
  line(
    'tool_use',
    { tool: name, callID: 'c1', state: { status: 'completed', input: {}, ...state } },
    'm1',
    session,
  )
const error = (data: object, name = 'APIError') => ({ type: 'error', sessionID: 's1', error: { name, data } })
const read = (messages: unknown[], exit: number | string = 0) => playAll('opencode', messages, exitOf(exit))
const DONE = '<response>DONE</response>'

describe('a recorded run', () => {
  test('becomes events, in the order in which things happened', () => {
    const lines = linesOf('opencode', 'opencode-1.18.33-tools.ndjson')
    const todo =
      '[\n  {\n    "content": "Write notes",\n    "status": "completed",\n    "priority": "high"\n  }\n]'
    expect(play(AGENTS.opencode.parser('stream'), lines)).toEqual([
      { type: 'started', session: 'ses_e1e7982ccffeKFpPce9nrR8s61' },
      { type: 'text', text: 'I will create hello.txt.' },
      { type: 'tool', id: 'call_mock0005', name: 'bash', summary: 'echo hi > hello.txt && cat hello.txt' },
      { type: 'toolResult', id: 'call_mock0005', ok: true, output: 'hi\n' },
      { type: 'text', text: 'Now the notes.' },
      { type: 'tool', id: 'call_mock0007', name: 'write', summary: '/project/notes.md' },
      { type: 'toolResult', id: 'call_mock0007', ok: true, output: 'Wrote file successfully.' },
      { type: 'tool', id: 'call_mock0009', name: 'todowrite', summary: '' },
      {
        type: 'todo',
        items: [{ id: '1', content: 'Write notes', status: 'completed', activeForm: 'Write notes' }],
      },
      { type: 'toolResult', id: 'call_mock0009', ok: true, output: todo },
      { type: 'text', text: 'Tracking.' },
      { type: 'text', text: 'Running the tests.' },
      { type: 'tool', id: 'call_mock0011', name: 'bash', summary: 'echo "1 failing" >&2; exit 3' },
      { type: 'toolResult', id: 'call_mock0011', ok: false, output: '1 failing\n' },
      { type: 'text', text: 'All done.\n\n<promise>COMPLETE</promise>' },
      {
        type: 'ended',
        ok: true,
        text: 'All done.\n\n<promise>COMPLETE</promise>',
        usage: { input: 9800, output: 220, cacheRead: 4000, cacheWrite: 0 },
        costUsd: expect.closeTo(0.00624, 10),
        denials: 0,
      },
    ])
  })
})

describe('the final text', () => {
  test('is what the last step said: not an earlier one, nor a tool', () => {
    const events = read([
      start('m1'),
      says(DONE, 'm1'),
      tool({ output: DONE }),
      finish('tool-calls', 'm1'),
      start('m2'),
      says('Not ', 'm2'),
      says('yet.', 'm2'),
      finish('stop', 'm2'),
    ])
    expect(endedOf(events)).toMatchObject({ ok: true, text: 'Not \nyet.' })
  })

  test('is empty if the last step said nothing', () => {
    const events = read([says(DONE, 'm1'), finish('tool-calls', 'm1'), start('m2'), finish('stop', 'm2')])
    expect(endedOf(events)).toMatchObject({ ok: true, text: '' })
  })

  test('is the main session’s own', () => {
    const events = read([says('Not yet.'), says(DONE, 'm9', 's2'), finish('stop')])
    expect(endedOf(events)).toMatchObject({ ok: true, text: 'Not yet.' })
    expect(events.filter(e => e.type === 'text')).toEqual([
      { type: 'text', text: 'Not yet.' },
      { type: 'text', text: DONE, from: 'subagent' },
    ])
    expect(endedOf(read([says(DONE), line('step_finish', { reason: 'stop' }, 'm1', 's2')])).ok).toBe(false)
  })
})

describe('the end', () => {
  test('comes with the exit, not with a line', () => {
    const parser = AGENTS.opencode.parser('stream')
    expect(parser.line(JSON.stringify(finish('stop'))).map(e => e.type)).toEqual(['started'])
    expect(parser.end(exitOf(0))).toMatchObject([{ type: 'ended', ok: true }])
    expect(parser.end(exitOf(0))).toEqual([])
  })

  test.each([
    [[says(DONE)], 0, 'exit code 0, no result'],
    [[says(DONE), finish('tool-calls')], 0, 'exit code 0, no result'],
    [[says(DONE), finish('stop'), start('m2')], 0, 'exit code 0, no result'],
    [[says(DONE), finish('stop')], 3, 'exit code 3'],
    [[says(DONE), finish('stop')], 'SIGKILL', 'killed by SIGKILL'],
    [[], 1, 'exit code 1, no result'],
  ])('is not ok where the last step did not finish, or the process failed (%#)', (messages, exit, why) => {
    expect(endedOf(read(messages, exit))).toMatchObject({ ok: false, error: why })
  })

  test('of an answer that was cut short by the model is still one', () => {
    expect(endedOf(read([says('Long'), finish('length')]))).toMatchObject({ ok: true, text: 'Long' })
  })

  test.each([
    [error({ message: 'Incorrect API key', statusCode: 401 }), 'Incorrect API key'],
    [error({}, 'MessageAbortedError'), 'MessageAbortedError'],
    [{ type: 'error', sessionID: 's1' }, 'an error without a reason'],
  ])('is an error if there was one (%#)', (message, why) => {
    expect(endedOf(read([says(DONE), message, finish('stop')]))).toMatchObject({
      ok: false,
      text: '',
      error: why,
    })
  })

  test('adds up what the steps took', () => {
    const took = (input: number, cost: unknown) => ({
      tokens: { input, output: 1, reasoning: 10, cache: { read: 100, write: 1000 } },
      cost,
    })
    const events = read([finish('tool-calls', 'm1', took(1, 0.5)), finish('stop', 'm2', took(2, 0.25))])
    expect(endedOf(events)).toMatchObject({
      usage: { input: 2203, output: 22, cacheRead: 200, cacheWrite: 2000 },
      costUsd: 0.75,
    })
    const { usage, costUsd } = endedOf(read([finish('stop', 'm1', { cost: 'free', tokens: 7 })]))
    expect([usage, costUsd]).toEqual([undefined, undefined])
  })
})

describe('a limit', () => {
  test.each([error({ message: 'slow down', statusCode: 429 })])(
    'is reported before the end (%#)',
    message => {
      expect(read([message], 1).slice(-2)).toMatchObject([{ type: 'limited' }, { type: 'ended', ok: false }])
    },
  )

  test('is no error of another status, nor what an agent writes', () => {
    const types = (message: unknown) => read([message, finish('stop')], 1).map(e => e.type)
    expect(types(error({ message: 'boom', statusCode: 500 }))).toEqual(['started', 'ended'])
    expect(types(says('usage limit reached'))).toEqual(['started', 'text', 'ended'])
  })
})

describe('a tool call', () => {
  test.each([
    [{ output: 'x', metadata: { exit: 0 } }, true, 'x'],
    [{ output: 'x', metadata: { exit: 3 } }, false, 'x'],
    [{ output: 'x', metadata: { exit: null } }, true, 'x'],
    [{ output: 'x' }, true, 'x'],
    [{ status: 'error', error: 'no such file' }, false, 'no such file'],
  ])('%j is ok: %s', (state, ok, output) => {
    expect(read([tool(state)])[2]).toEqual({ type: 'toolResult', id: 'c1', ok, output })
  })

  test('that was not permitted is counted', () => {
    const refused = tool({
      status: 'error',
      error: 'The user rejected permission to use this specific tool call.',
    })
    expect(endedOf(read([refused, finish('stop')])).denials).toBe(1)
    expect(endedOf(read([tool({ status: 'error', error: 'no such file' }), finish('stop')])).denials).toBe(0)
  })

  test('leaves out of the list what was given up, and is not a subagent’s list', () => {
    const list = {
      input: {
        todos: [
          { content: 'A', status: 'in_progress' },
          { content: 'B', status: 'cancelled' },
        ],
      },
    }
    expect(read([tool(list, 'todowrite')]).find(e => e.type === 'todo')).toEqual({
      type: 'todo',
      items: [{ content: 'A', status: 'in_progress', activeForm: 'A' }],
    })
    expect(read([tool(list, 'todowrite', 's2')]).some(e => e.type === 'todo')).toBe(false)
  })
})
