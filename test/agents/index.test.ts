import { describe, expect, test } from 'vitest'
import { agentFor, explicitAgent, known } from '../../src/agents/index.ts'
import type { Ask } from '../../src/core/ports.ts'
import { CLIS, endedOf, exitOf, linesOf, play } from './play.ts'

const ask: Ask = { prompt: 'Do it', model: 'm', flags: ['-v'], mode: 'stream', budgetUsd: null, root: true }
const able = { version: null, flags: null }
const streamed = linesOf('claude', 'claude-2.1.325-subagent.ndjson')

describe('the agent of a program', () => {
  test.each([
    ['claude', 'claude'],
    ['/usr/bin/claude', 'claude'],
    ['./claude.exe', 'claude'],
    ['C:\\tools\\claude.CMD', 'claude'],
    ['/opt/codex', 'codex'],
    ['amp', 'amp'],
    ['./opencode', 'opencode'],
    ['gemini.cmd', 'gemini'],
    ['/usr/local/bin/copilot', 'copilot'],
  ])('%s is run as given and read as %s', (command, name) => {
    const { agent, isKnown } = agentFor(command)
    expect(isKnown).toBe(true)
    expect(agent.name).toBe(name)
    expect(agent.command(ask, able).argv[0]).toBe(command)
  })

  test.each(['my-agent', '/opt/claude-wrapper', 'constructor', '__proto__', 'claude/', ''])(
    '%j is a stranger: run with its flags, read as text',
    command => {
      const { agent, isKnown } = agentFor(command)
      expect(isKnown).toBe(false)
      expect(agent.command(ask, able)).toEqual({ argv: [command, '-v'], env: {}, stdin: 'Do it' })
      expect(endedOf(play(agent.parser('stream'), ['{"type":"result"}'])).text).toBe('{"type":"result"}')
    },
  )

  test('is looked for in this order', () => {
    expect([...known.keys()]).toEqual(['claude', 'codex', 'amp', 'opencode', 'gemini', 'copilot'])
  })

  test('every known agent goes by the name it is listed under', () => {
    for (const [name, { make }] of known) expect(make().name).toBe(name)
  })

  test('every known agent is among those that the tests of streams go through', () => {
    expect(CLIS).toEqual([...known.keys()])
  })
})

describe('an explicit command', () => {
  test('is run word for word with the prompt on standard input', () => {
    const agent = explicitAgent(['/opt/claude', '--print', 'a b'])
    expect(agent.name).toBe('claude')
    expect(agent.command(ask, able)).toEqual({
      argv: ['/opt/claude', '--print', 'a b'],
      env: {},
      stdin: 'Do it',
    })
  })

  test.each([
    [['claude', '-p']],
    [['sh', '-c', 'claude --output-format stream-json']],
    [['./agent']],
    [['codex', 'exec', '-']],
    [['amp', '-x']],
    [['opencode', 'run', '--file', 'package.json']],
    [['gemini', '-o', 'json']],
    [['copilot', '--additional-mcp-config', '@mcp.json']],
  ])('%j is read as plain text', argv => {
    const events = play(explicitAgent(argv).parser('stream'), ['one', 'two'], exitOf(3))
    expect(endedOf(events)).toMatchObject({ ok: false, text: 'one\ntwo', error: 'exit code 3' })
  })

  test.each(['stream', 'text'] as const)('that asks for a stream is read as one, in %s mode too', mode => {
    for (const word of [['--output-format', 'stream-json'], ['--output-format=stream-json']]) {
      const events = play(explicitAgent(['claude', ...word]).parser(mode), streamed)
      expect(endedOf(events)).toMatchObject({ ok: true, text: 'Main is not done yet.' })
    }
    const words = 'amp --stream-json-thinking -x'.split(' ')
    const amp = play(explicitAgent(words).parser(mode), [
      '{"type":"result","subtype":"success","result":"Hi."}',
    ])
    expect(endedOf(amp)).toMatchObject({ ok: true, text: 'Hi.' })
    const lines = linesOf('codex', 'codex-0.166.0-hello.ndjson')
    const events = play(explicitAgent(['codex', 'exec', '--json', '-']).parser(mode), lines)
    expect(endedOf(events).text).toBe('Hello. <promise>COMPLETE</promise>')
  })

  test.each([
    ['opencode', 'opencode run --format json', 'opencode-1.18.33-tools.ndjson'],
    ['opencode', 'opencode run --format=json', 'opencode-1.18.33-tools.ndjson'],
    ['gemini', 'gemini -o stream-json', 'gemini-0.61.0-tools.ndjson'],
    ['gemini', 'gemini --output-format=stream-json', 'gemini-0.61.0-tools.ndjson'],
    ['copilot', 'copilot --output-format json', 'copilot-1.0.102-tools.ndjson'],
    ['copilot', 'copilot --output-format=json', 'copilot-1.0.102-tools.ndjson'],
  ] as const)('of %s as `%s` asks for a stream', (cli, command, file) => {
    const events = play(explicitAgent(command.split(' ')).parser('text'), linesOf(cli, file))
    expect(endedOf(events)).toMatchObject({ ok: true, text: 'All done.\n\n<promise>COMPLETE</promise>' })
  })
})
