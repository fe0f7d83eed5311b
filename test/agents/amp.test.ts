import { describe, expect, test } from 'vitest'
import { endedOf, exitOf, playAll } from './play.ts'

// Amp's loop runs on its own server: there is no recording of a run that got that far.
const init = { type: 'system', subtype: 'init', session_id: 'T-1', tools: ['Bash'] }
const says = (text: string, usage?: object, more = {}) => ({
  type: 'assistant',
  message: { content: [{ type: 'text', text }], usage },
  ...more,
})
const calls = (name: string, input: unknown) => ({
  type: 'assistant',
  message: { content: [{ type: 'tool_use', id: 't1', name, input }] },
})
const answers = (content: unknown) => ({
  type: 'user',
  message: { content: [{ type: 'tool_result', tool_use_id: 't1', content }] },
})
const result = {
  type: 'result',
  subtype: 'success',
  result: 'All done. <response>DONE</response>',
  duration_ms: 1234,
  num_turns: 3,
}
const tokens = (input: number, output: number, cacheRead = 0, cacheWrite = 0) => ({
  input_tokens: input,
  output_tokens: output,
  cache_read_input_tokens: cacheRead,
  cache_creation_input_tokens: cacheWrite,
})
const broken = (error: string) => ({
  type: 'result',
  subtype: 'error_during_execution',
  error,
  is_error: true,
})
const read = (...messages: unknown[]) => playAll('amp', messages)

describe('by the documented lines only, for it cannot be run offline', () => {
  test('a run becomes events, in the order in which things happened', () => {
    const events = read(
      init,
      { type: 'user', message: { content: [{ type: 'text', text: 'Do it' }] }, parent_tool_use_id: null },
      says('Working.'),
      calls('Bash', { command: 'ls' }),
      answers('a.txt'),
      says('All done. <response>DONE</response>'),
      { ...result, usage: tokens(100, 50, 80) },
    )
    expect(events).toEqual([
      { type: 'started', session: 'T-1' },
      { type: 'text', text: 'Working.' },
      { type: 'tool', id: 't1', name: 'Bash', summary: 'ls' },
      { type: 'toolResult', id: 't1', ok: true, output: 'a.txt' },
      { type: 'text', text: 'All done. <response>DONE</response>' },
      { type: 'answered' },
      {
        type: 'ended',
        ok: true,
        text: 'All done. <response>DONE</response>',
        usage: { input: 100, output: 50, cacheRead: 80, cacheWrite: 0 },
        denials: 0,
      },
    ])
  })

  test('an error during execution is reported with its reason', () => {
    expect(read(init, broken('the server said no'))).toMatchObject([
      { type: 'started' },
      { type: 'answered' },
      { type: 'ended', ok: false, text: '', error: 'the server said no' },
    ])
  })

  test('an error that speaks of a limit is an error: nothing recorded shows how it words one', () => {
    expect(read(broken('Rate limit reached, try again later'))).toMatchObject([
      { type: 'answered' },
      { type: 'ended', ok: false },
    ])
  })

  test('a stream without a result did not end well, whatever its exit', () => {
    const events = playAll('amp', [init, says('<response>DONE</response>')], exitOf(0))
    expect(endedOf(events)).toMatchObject({ ok: false, text: '', error: 'exit code 0, no result' })
  })

  test('what a subagent says is set apart', () => {
    const events = read(says('<response>DONE</response>', undefined, { parent_tool_use_id: 't0' }), {
      ...result,
      result: 'Not yet.',
    })
    expect(events[0]).toMatchObject({ type: 'text', from: 'subagent' })
    expect(endedOf(events).text).toBe('Not yet.')
  })

  test('usage is that of the result, else that of its messages together', () => {
    const used = [says('a', tokens(12783, 8, 12416, 367)), says('b', tokens(100, 2))]
    expect(endedOf(read(...used, result)).usage).toEqual({
      input: 12883,
      output: 10,
      cacheRead: 12416,
      cacheWrite: 367,
    })
    expect(endedOf(read(...used, { ...result, usage: tokens(7, 1) })).usage).toMatchObject({ input: 7 })
    expect(endedOf(read(says('a'), result)).usage).toBeUndefined()
  })
})
