import { describe, expect, it } from 'vitest'
import type { AgentEvent, RunEvent } from '../../src/core/events.ts'
import { agentLines } from '../../src/view/agent-lines.ts'
import { runLines } from '../../src/view/run-lines.ts'
import { styleOf } from '../../src/view/style.ts'

const emoji = styleOf({ color: false, emoji: true })
const bounds = { maxLines: 3, maxChars: 100 }
const show = (events: AgentEvent[], style = emoji) => {
  const lines = agentLines(style, bounds)
  return events.flatMap((event, i) => lines(event, i * 1000))
}

describe('the lines of an agent', () => {
  it('match a tool result with its call, with its size and first lines', () => {
    expect(
      show([
        { type: 'tool', id: '1', name: 'Read', summary: '/path/to/file.go' },
        { type: 'tool', id: '2', name: 'Bash', summary: 'make\ntest' },
        { type: 'toolResult', id: '1', ok: true, output: 'package main\n\nfunc main() {\n}\nmore\n' },
        { type: 'toolResult', id: '2', ok: false, output: '' },
      ]),
    ).toEqual([
      '⏺ Read(/path/to/file.go)',
      '⏺ Bash(make test)',
      '✅ Result ← Read (5 lines, 35 chars)',
      '  ⎿  package main',
      '     ',
      '     func main() {',
      '     … 2 more lines',
      '❌ Result ← Bash (no output)',
    ])
  })

  it('show the to-do list with what is active and how far it is', () => {
    const item = (content: string, status: 'completed' | 'in_progress' | 'pending') => ({
      content,
      status,
      activeForm: '',
    })
    expect(
      show([
        {
          type: 'todo',
          items: [
            item('Read the file', 'completed'),
            item('Edit the code', 'in_progress'),
            item('Run tests', 'pending'),
          ],
        },
      ]),
    ).toEqual([
      '📋 Todo List',
      '  ✅ Read the file',
      '  🔄 Edit the code ← ACTIVE',
      '  ⏸️ Run tests',
      '  📊 Progress: 1/3 (33%)',
    ])
  })

  it('end with cost, tokens, tools, errors and time', () => {
    const usage = { input: 1_200_000, output: 45_000, cacheRead: 850_000, cacheWrite: 0 }
    expect(
      show([
        { type: 'started' },
        { type: 'tool', id: '1', name: 'Bash', summary: 'x' },
        { type: 'toolResult', id: '1', ok: false, output: 'no' },
        { type: 'ended', ok: true, text: '', costUsd: 5.76, usage },
      ]).at(-1),
    ).toBe(
      '✅ Complete (cost: $5.76, tokens: 1.2M in (850K cached) / 45K out, tools: 1, errors: 1, time: 3.0s)',
    )
  })

  it('say why it failed', () => {
    expect(show([{ type: 'ended', ok: false, text: '', error: 'Invalid API key' }])).toEqual([
      '❌ Failed: Invalid API key (tools: 0, errors: 0, time: 0.0s)',
    ])
  })

  it('set subagents apart', () => {
    expect(show([{ type: 'text', text: 'one\ntwo', from: 'subagent' }])).toEqual(['│ one', '│ two'])
  })

  it('use text marks where there are no emoji', () => {
    const text = styleOf({ color: false, emoji: false })
    expect(
      show(
        [
          { type: 'toolResult', id: 'x', ok: true, output: '' },
          { type: 'toolResult', id: 'y', ok: false, output: '' },
        ],
        text,
      ),
    ).toEqual(['[OK] Result ← tool (no output)', '[ERR] Result ← tool (no output)'])
  })

  it('hold no colour unless it is asked for', () => {
    const events: AgentEvent[] = [{ type: 'tool', id: '1', name: 'Bash', summary: 'x' }]
    expect(show(events).join('')).not.toContain('\x1b')
    expect(show(events, styleOf({ color: true, emoji: true })).join('')).toContain('\x1b[')
  })

  it('hold nothing raw of what an agent says, in any place it can say it', () => {
    const evil = 'x\x1b]0;evil\x07\x1b[2J\u202ey'
    const events: AgentEvent[] = [
      { type: 'started', model: evil, auth: evil },
      { type: 'text', text: evil },
      { type: 'tool', id: '1', name: evil, summary: evil },
      { type: 'toolResult', id: '1', ok: true, output: evil },
      { type: 'todo', items: [{ content: evil, status: 'pending', activeForm: evil }] },
      { type: 'retrying', note: evil },
      { type: 'limited', note: evil },
      { type: 'unparsed', line: evil },
      { type: 'ended', ok: false, text: evil, error: evil },
    ]
    const seen = show(events).join('\n')
    expect(seen).not.toMatch(/[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]/)
    expect(seen).not.toContain('evil')
  })
})

describe('the lines of a run', () => {
  const told = (events: RunEvent[], streamAgent = true) => {
    const lines = runLines({ style: emoji, bounds, streamAgent, limit: 10, clock: at => `t${at}` })
    return events.flatMap(lines)
  }
  const red = {
    check: 'npm test',
    verdict: 'fail' as const,
    note: 'Guardrail "npm test" failed with exit code 1.\nmore',
    log: 'a.log',
    action: 'APPEND' as const,
  }

  it('tell of checks with their exit, time and action', () => {
    expect(
      told([
        { type: 'checked', at: 1, id: 1, finding: red, ms: 300, exit: { code: 1, signal: null } },
        {
          type: 'checked',
          at: 1,
          id: 1,
          finding: { check: 'lint', verdict: 'pass', note: '' },
          ms: 1200,
          exit: { code: 0, signal: null },
        },
      ]),
    ).toEqual(['  ✗ npm test failed with exit code 1 0.3s → APPEND', '    a.log', '  ✓ lint 1.2s'])
  })

  it.each([
    [{ result: 'complete', proof: 'verified', why: 'complete' }, '✅ done, verified  2 iterations · 5.0s'],
    [
      { result: 'complete', proof: 'claimed', why: 'complete' },
      '✅ done as claimed: nothing verified it  2 iterations · 5.0s',
    ],
    [
      { result: 'exhausted', proof: null, why: 'all 2 iterations are used' },
      '❌ exhausted: all 2 iterations are used  2 iterations · 5.0s',
    ],
  ] as const)('say in one sentence how it ended: %j', (ending, line) => {
    const began: RunEvent = { type: 'resumed', at: 0, limits: {} as never }
    const started: RunEvent = { type: 'started', at: 0, id: 2, task: 'p', stage: 'work', agent: 'a', n: 2 }
    expect(told([began, started, { type: 'finished', at: 5000, ...ending }]).at(-1)).toBe(line)
  })

  it('leave out what the agent says when it is not to be streamed, but for its end', () => {
    const events: RunEvent[] = [
      { type: 'agent', at: 0, id: 1, event: { type: 'text', text: 'thinking' } },
      { type: 'agent', at: 0, id: 1, event: { type: 'ended', ok: true, text: 'x' } },
    ]
    expect(told(events, false)).toEqual(['  ✅ Complete (tools: 0, errors: 0, time: 0.0s)'])
    expect(told(events)).toHaveLength(2)
  })
})
