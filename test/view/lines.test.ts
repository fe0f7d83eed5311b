import { describe, expect, it } from 'vitest'
import type { AgentEvent, RunEvent } from '../../src/core/events.ts'
import { agentLines } from '../../src/view/agent-lines.ts'
import { type RunLinesOptions, runLines } from '../../src/view/run-lines.ts'
import { styleOf } from '../../src/view/style.ts'
import { widthOf } from '../../src/view/text/width.ts'
import { agentSays, checked, started } from './run-events.ts'

const emoji = styleOf({ color: false, emoji: true })
const bounds = { maxLines: 3, maxChars: 100 }
const SHOWN: RunLinesOptions = { style: emoji, bounds, streamAgent: true, limit: 10, clock: String }
const show = (events: AgentEvent[], style = emoji) => {
  const lines = agentLines({ style, bounds })
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
      '✓ Result ← Read (5 lines, 35 chars) ⎿ package main',
      '✗ Result ← Bash (no output)',
    ])
  })

  it('show of a tool that failed its first lines', () => {
    expect(
      show([{ type: 'toolResult', id: '1', ok: false, output: 'Exit code 1\n\n3 failing\nx\n' }]),
    ).toEqual([
      '✗ Result ← tool (4 lines, 25 chars)',
      '  ⎿  Exit code 1',
      '     ',
      '     3 failing',
      '     … 1 more line',
    ])
  })

  it('are quiet about what every agent does all the time', () => {
    const events: AgentEvent[] = [
      { type: 'toolResult', id: '1', ok: true, output: 'a\nb' },
      { type: 'ended', ok: true, text: 'x' },
    ]
    const painted = show(events, styleOf({ color: true, emoji: true }))
    expect(painted).toHaveLength(2)
    for (const line of painted) expect(line).toMatch(/^\x1b\[2m[^\x1b]*\x1b\[22m$/)
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
      '  ✓ Read the file',
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
      '✓ Complete (cost: $5.76, tokens: 1.2M in (850K cached) / 45K out, tools: 1, errors: 1, time: 3.0s)',
    )
  })

  it('say why it failed', () => {
    expect(show([{ type: 'ended', ok: false, text: '', error: 'Invalid API key' }])).toEqual([
      '❌ Failed: Invalid API key (tools: 0, errors: 0, time: 0.0s)',
    ])
  })

  it('show what an edit changes under its call, and not again with its result', () => {
    const diff = [' function f() {', '-  return 1', '+  return 2', '+  // two', ' }']
    const edit: AgentEvent[] = [
      { type: 'tool', id: '1', name: 'Edit', summary: 'f.js', diff },
      { type: 'toolResult', id: '1', ok: true, output: 'The file f.js has been updated.' },
    ]
    expect(show(edit)).toEqual([
      '⏺ Edit(f.js)',
      '  ⎿   function f() {',
      '     -  return 1',
      '     +  return 2',
      '     … 2 more lines',
      '✓ Result ← Edit (1 line, 31 chars)',
    ])
    const painted = show(edit, styleOf({ color: true, emoji: true }))
    expect(painted[2]).toBe('     \x1b[31m-  return 1\x1b[39m')
    expect(painted[3]).toBe('     \x1b[32m+  return 2\x1b[39m')
  })

  it('say why an edit failed', () => {
    expect(
      show([
        { type: 'tool', id: '1', name: 'Edit', summary: 'f.js', diff: ['-a', '+b'] },
        { type: 'toolResult', id: '1', ok: false, output: 'String not found' },
      ]).slice(-2),
    ).toEqual(['✗ Result ← Edit (1 line, 16 chars)', '  ⎿  String not found'])
  })

  it('show no more of an edit than the bounds allow, however long its lines are', () => {
    const diff = [`+${'x'.repeat(80)}`, `+${'y'.repeat(80)}`, '+z']
    expect(show([{ type: 'tool', id: '1', name: 'Write', summary: 'f', diff }])).toEqual([
      '⏺ Write(f)',
      `  ⎿  +${'x'.repeat(80)}`,
      `     +${'y'.repeat(18)}`,
      '     … 1 more line',
    ])
  })

  it('leave the brackets out where there is nothing to put in them', () => {
    expect(show([{ type: 'tool', id: '1', name: 'TodoWrite', summary: '' }])).toEqual(['⏺ TodoWrite'])
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
})

describe('the lines of a run', () => {
  const told = (events: RunEvent[], streamAgent = true) => {
    return events.flatMap(runLines({ ...SHOWN, streamAgent }))
  }
  const red = {
    check: 'npm test',
    verdict: 'fail' as const,
    note: 'Guardrail "npm test" failed with exit code 1.\nmore',
    log: 'a.log',
    action: 'APPEND' as const,
  }

  it('keep two steps in flight apart: each result belongs to a call of its own agent', () => {
    const call = (name: string): AgentEvent => ({ type: 'tool', id: '1', name, summary: '' })
    const result: AgentEvent = { type: 'toolResult', id: '1', ok: true, output: '' }
    const events = [started(1), agentSays(call('Read')), started(2), agentSays(call('Bash'), 2)]
    const lines = told([...events, agentSays(result), agentSays(result, 2)])
    expect(lines.filter(line => line.includes('Result'))).toEqual([
      '  ✓ Result ← Read (no output)',
      '  ✓ Result ← Bash (no output)',
    ])
  })

  it('tell of checks with their exit, time and action', () => {
    expect(told([checked(red, 300), checked({ check: 'lint', verdict: 'pass', note: '' }, 1200)])).toEqual([
      '  ✗ npm test failed with exit code 1 0.3s → APPEND',
      '    a.log',
      '  ✓ lint 1.2s',
    ])
  })

  it.each<[string, RunEvent]>([
    ['finished', { type: 'finished', at: 1, result: 'complete', proof: null, why: 'x' }],
    ['stopped', { type: 'stopped', at: 1, why: 'x' }],
  ])('leave it to the receipt to say how it %s', (_, event) => {
    expect(runLines({ ...SHOWN, ending: () => ['', 'the end'] })(event)).toEqual(['', 'the end'])
    expect(runLines(SHOWN)(event)).toEqual([])
  })

  it('break what a workflow adds at the end between words', () => {
    const items = [{ id: 'T1', content: 'Cart', status: 'completed' as const, activeForm: 'Cart' }]
    const lines = runLines({
      ...SHOWN,
      columns: () => 20,
      list: () => ({ items, blocked: new Map() }),
      summary: () => ['reviews found something in half of them'],
    })
    expect(lines({ type: 'stopped', at: 1, why: 'x' }).slice(-3)).toEqual([
      'reviews found',
      '  something in half',
      '  of them',
    ])
  })

  it('use text marks for checks, too, where there are no emoji', () => {
    const style = styleOf({ color: false, emoji: false })
    const lines = runLines({ ...SHOWN, style })
    expect(lines(checked(red, 300))).toEqual([
      '  [ERR] npm test failed with exit code 1 0.3s → APPEND',
      '    a.log',
    ])
    expect(lines(checked({ check: 'lint', verdict: 'pass', note: '' }, 300))).toEqual(['  [OK] lint 0.3s'])
  })

  it('count the time of an iteration from its start, also when the agent says nothing', () => {
    const events = [started(1, 1000), agentSays({ type: 'ended', ok: true, text: 'x' }, 1, 4000)]
    expect(told(events, false).at(-1)).toContain('time: 3.0s')
  })

  it('leave to the live status what is under way', () => {
    const events: RunEvent[] = [
      { type: 'checking', at: 0, id: null, check: 'npm test' },
      { type: 'waiting', at: 0, until: 9, why: 'limited' },
    ]
    expect(events.flatMap(runLines(SHOWN))).toEqual([
      '',
      'before the first iteration',
      '  … npm test',
      '  waiting until 9 (limited)',
    ])
    expect(events.flatMap(runLines({ ...SHOWN, live: true }))).toEqual(['', 'before the first iteration'])
  })

  it('leave out what the agent says when it is not to be streamed, but for its end', () => {
    const events = [
      agentSays({ type: 'text', text: 'thinking' }),
      agentSays({ type: 'ended', ok: true, text: 'x' }),
    ]
    expect(told(events, false)).toEqual(['  ✓ Complete (tools: 0, errors: 0, time: 0.0s)'])
    expect(told(events)).toHaveLength(2)
  })
})

describe('lines with the time', () => {
  const stamped = (columns: number | null, color = false) => {
    const style = styleOf({ color, emoji: true })
    return runLines({ ...SHOWN, style, limit: null, columns: () => columns, stamp: at => `[00:00:0${at}]` })
  }

  it('begin with it, each that is not blank', () => {
    const lines = stamped(null)
    const text = agentSays({ type: 'text', text: 'one\n\ntwo' }, 1, 2)
    expect([started(1, 1), text].flatMap(lines)).toEqual([
      '',
      '[00:00:01] iteration 1',
      '[00:00:02]   one',
      '',
      '[00:00:02]   two',
    ])
  })

  it('fit the terminal with it', () => {
    const text = agentSays({ type: 'text', text: 'one two three four' }, 1, 2)
    expect(stamped(35)(text)).toEqual(['[00:00:02]   one two three four'])
    expect(stamped(31)(text)).toEqual(['[00:00:02]   one two three four'])
    expect(stamped(30)(text)).toEqual(['[00:00:02]   one two three', '[00:00:02]   four'])
  })
})

describe('lines on a terminal', () => {
  const LONG = 'npm run check -- --with-a-very-long-option=value --and-another-one=value --verbose'
  const PATH = '/home/me/projects/shop/packages/frontend/src/components/cart/cart.js'
  const events: RunEvent[] = [
    agentSays({ type: 'text', text: `- ${LONG}` }),
    agentSays({ type: 'tool', id: '1', name: 'Bash', summary: LONG }),
    agentSays({ type: 'tool', id: '2', name: 'Read', summary: PATH }),
    agentSays({
      type: 'toolResult',
      id: '1',
      ok: true,
      output: `${LONG}\n  日本語日本語日本語日本語日本語日本語日本語日本語`,
    }),
    agentSays({ type: 'todo', items: [{ content: LONG, status: 'in_progress', activeForm: '' }] }),
    agentSays({ type: 'text', text: LONG, from: 'subagent' }),
    agentSays({ type: 'ended', ok: false, text: '', error: LONG }),
    checked({ check: LONG, verdict: 'pass', note: '' }),
    checked({ check: LONG, verdict: 'fail', note: 'failed with exit code 1.', action: 'APPEND' }),
  ]
  const told = (columns: () => number | null, color = false) => {
    const style = styleOf({ color, emoji: true })
    const wide = { maxLines: 12, maxChars: 2000 }
    return events.flatMap(runLines({ ...SHOWN, style, bounds: wide, columns }))
  }

  it('are cut and wrapped so that what tells most is seen', () => {
    expect(told(() => 50)).toEqual([
      '  - npm run check --',
      '    --with-a-very-long-option=value',
      '    --and-another-one=value --verbose',
      '  ⏺ Bash(npm run check -- --with-a-very-long-opt…)',
      '  ⏺ Read(…es/frontend/src/components/cart/cart.js)',
      '  ✓ Result ← Bash (2 lines, 109 chars) ⎿ npm run …',
      '  📋 Todo List',
      '    🔄 npm run check -- --with-a-very-lo… ← ACTIVE',
      '    📊 Progress: 0/1 (0%)',
      '  │ npm run check --',
      '  │ --with-a-very-long-option=value',
      '  │ --and-another-one=value --verbose',
      '  ❌ Failed: npm run check --',
      '     --with-a-very-long-option=value',
      '     --and-another-one=value --verbose (tools: 2,',
      '     errors: 0, time: 0.0s)',
      '  ✓ npm run check -- --with-a-very-long-opti… 0.0s',
      '  ✗ npm run check -- --with-a-very-long-option=va…',
      '    failed with exit code 1 0.0s → APPEND',
    ])
  })

  it.each([20, 27, 40, 80, 120])('are never wider than its %i columns, with colour or without', columns => {
    for (const color of [true, false])
      for (const line of told(() => columns, color)) expect(widthOf(line)).toBeLessThanOrEqual(columns)
  })

  it('follow its width as it changes', () => {
    let columns = 200
    const lines = runLines({ ...SHOWN, columns: () => columns })
    expect(lines(events[0]!)).toHaveLength(1)
    columns = 40
    expect(lines(events[0]!).length).toBeGreaterThan(1)
  })

  it('are neither cut nor wrapped in a pipe', () => {
    const whole = told(() => null)
    expect(whole).toContain(`  - ${LONG}`)
    expect(whole).toContain(`  ⏺ Read(${PATH})`)
    expect(whole).toContain(`  ✓ ${LONG} 0.0s`)
    expect(whole.join('\n')).not.toMatch(/…$/m)
  })
})
