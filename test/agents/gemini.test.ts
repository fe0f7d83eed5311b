import { describe, expect, test } from 'vitest'
import { AGENTS, endedOf, exitOf, linesOf, play, playAll } from './play.ts'

const says = (content: unknown, more = {}) => ({
  type: 'message',
  role: 'assistant',
  content,
  delta: true,
  ...more,
})
const prompt = (content: string) => ({ type: 'message', role: 'user', content })
const calls = (tool_name: string, parameters: unknown, tool_id: unknown = 't1') => ({
  type: 'tool_use',
  tool_name,
  tool_id,
  parameters,
})
const answers = (more = {}) => ({ type: 'tool_result', tool_id: 't1', status: 'success', ...more })
const done = { type: 'result', status: 'success' }
const failed = (message?: unknown) => ({ type: 'result', status: 'error', error: { message } })
const trouble = (severity: string, message: string) => ({ type: 'error', severity, message })
const read = (...messages: unknown[]) => playAll('gemini', messages)
const DONE = '<response>DONE</response>'

describe('a recorded run', () => {
  test('becomes events, in the order in which things happened', () => {
    const lines = linesOf('gemini', 'gemini-0.61.0-tools.ndjson')
    expect(play(AGENTS.gemini.parser('stream'), lines)).toEqual([
      { type: 'started', session: '51b035a5-c37b-4063-b5d8-1b1e1f5607b9', model: 'gemini-2.5-pro' },
      { type: 'text', text: 'I will create hello.txt.' },
      {
        type: 'tool',
        id: 'run_shell_command__call_mock0001',
        name: 'run_shell_command',
        summary: 'echo hi > hello.txt && cat hello.txt',
      },
      { type: 'toolResult', id: 'run_shell_command__call_mock0001', ok: true, output: 'hi' },
      { type: 'text', text: 'Now the notes.' },
      { type: 'tool', id: 'write_file__call_mock0002', name: 'write_file', summary: '/project/notes.md' },
      { type: 'toolResult', id: 'write_file__call_mock0002', ok: true, output: '' },
      { type: 'text', text: 'Running the tests.' },
      {
        type: 'tool',
        id: 'run_shell_command__call_mock0003',
        name: 'run_shell_command',
        summary: 'echo "1 failing" >&2; exit 3',
      },
      // It calls this a success, although the command exited with 3.
      { type: 'toolResult', id: 'run_shell_command__call_mock0003', ok: true, output: '1 failing' },
      { type: 'text', text: 'All done.\n\n<promise>COMPLETE</promise>' },
      {
        type: 'ended',
        ok: true,
        text: 'All done.\n\n<promise>COMPLETE</promise>',
        usage: { input: 4800, output: 160, cacheRead: 0, cacheWrite: 0 },
      },
    ])
  })

  test('shows its list, and which tool could not be run', () => {
    const events = play(AGENTS.gemini.parser('stream'), linesOf('gemini', 'gemini-0.61.0-todos.ndjson'))
    expect(events.filter(e => e.type === 'todo')).toEqual([
      {
        type: 'todo',
        items: [
          { content: 'A', status: 'completed', activeForm: 'A' },
          { content: 'B', status: 'in_progress', activeForm: 'B' },
          { content: 'C', status: 'pending', activeForm: 'C' },
        ],
      },
    ])
    const results = events.filter(e => e.type === 'toolResult')
    expect(results.map(e => e.ok)).toEqual([true, false])
    expect(results[1]!.output).toContain('Path not in workspace')
  })
})

describe('words', () => {
  test('that come in pieces are one message, reported when it is over', () => {
    const parser = AGENTS.gemini.parser('stream')
    const line = (message: unknown) => parser.line(JSON.stringify(message))
    expect(line(says('All '))).toEqual([])
    expect(line(says('do'))).toEqual([])
    expect(line(says('ne.'))).toEqual([])
    expect(line(done)).toMatchObject([
      { type: 'text', text: 'All done.' },
      { type: 'ended', ok: true, text: 'All done.' },
    ])
  })

  test('that come whole are a message each', () => {
    const events = read(says('One.', { delta: false }), says('Two.', { delta: false }), done)
    expect(events.filter(e => e.type === 'text').map(e => e.text)).toEqual(['One.', 'Two.'])
    expect(endedOf(events).text).toBe('Two.')
  })

  test('are not lost when the stream breaks off', () => {
    expect(read(says('Half a '), says('sentence'))).toMatchObject([
      { type: 'text', text: 'Half a sentence' },
      { type: 'ended', ok: false, text: '' },
    ])
  })
})

describe('the final text', () => {
  test('is what was said last: not before a tool call, by a tool, nor in the prompt', () => {
    const events = read(
      prompt(DONE),
      says(DONE),
      calls('run_shell_command', { command: 'cat PROMPT.md' }),
      answers({ output: DONE }),
      says('Not yet.'),
      done,
    )
    expect(endedOf(events).text).toBe('Not yet.')
    expect(endedOf(read(says(DONE), calls('read_file', {}), answers({ output: DONE }), done)).text).toBe('')
  })
})

describe('the end', () => {
  test('names the result’s error, or the trouble before it', () => {
    expect(endedOf(read(failed('boom')))).toMatchObject({ ok: false, error: 'boom' })
    expect(endedOf(read(trouble('error', 'before'), failed(7)))).toMatchObject({ error: 'before' })
    expect(endedOf(read(trouble('error', 'before')))).toMatchObject({ ok: false, error: 'before' })
    expect(endedOf(read({ type: 'result' }))).toMatchObject({ error: 'a result without a reason' })
  })

  test('is not ok after an error, even if the result is', () => {
    expect(endedOf(read(trouble('error', 'Maximum session turns exceeded'), done))).toMatchObject({
      ok: false,
      error: 'Maximum session turns exceeded',
    })
    expect(endedOf(read(trouble('error', 'hiccup'), says('On with it.'), done)).ok).toBe(true)
  })

  test('is ok after a warning, which is passed on', () => {
    const events = read(trouble('warning', 'Loop detected'), says('Done.'), done)
    expect(events[0]).toEqual({ type: 'retrying', note: 'Loop detected' })
    expect(endedOf(events).ok).toBe(true)
  })

  test('of an interrupted run is none, although it exits with 0', () => {
    expect(endedOf(playAll('gemini', [prompt('x')], exitOf(0))).error).toBe('exit code 0, no result')
  })

  test('counts thoughts as output, and only tokens that are numbers', () => {
    const stats = { input_tokens: 100, output_tokens: 20, total_tokens: 170, cached: 60 }
    expect(endedOf(read({ ...done, stats })).usage).toEqual({
      input: 100,
      output: 70,
      cacheRead: 60,
      cacheWrite: 0,
    })
    expect(endedOf(read({ ...done, stats: { input_tokens: '1', output_tokens: 2 } })).usage).toMatchObject({
      input: 0,
      output: 2,
    })
    expect(endedOf(read(done)).usage).toBeUndefined()
  })
})

describe('a limit', () => {
  test('is reported before the end', () => {
    expect(read(failed('[API Error: The model is overloaded. Please try again later.]'))).toMatchObject([
      { type: 'limited', note: '[API Error: The model is overloaded. Please try again later.]' },
      { type: 'ended', ok: false },
    ])
  })

  test('is not what an agent merely writes about', () => {
    expect(read(says('quota exceeded'), done).map(e => e.type)).toEqual(['text', 'ended'])
  })
})
