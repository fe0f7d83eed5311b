import { expect, test } from 'vitest'
import { risks } from '../../src/settings/trust.ts'

test.each<[object, [string, string][]]>([
  [{ agent: { command: './agent.sh' } }, [['agent.command', './agent.sh']]],
  [
    { agent: { flags: ['--model opus', '--yolo'] } },
    [
      ['agent.flags[0]', '--model opus'],
      ['agent.flags[1]', '--yolo'],
    ],
  ],
  [
    { agents: { reviewer: { flags: ['-x'], command: 'codex' } } },
    [
      ['agents.reviewer.command', 'codex'],
      ['agents.reviewer.flags[0]', '-x'],
    ],
  ],
  [{ fallbackAgents: [{ command: 'codex' }] }, [['fallbackAgents[0].command', 'codex']]],
  [{ fallbackAgents: ['./codex'] }, [['fallbackAgents[0]', './codex']]],
  [
    { guardrails: [{ command: 'npm test', hint: 'h', timeout: 3 }, { command: 'make' }] },
    [
      ['guardrails[0].command', 'npm test'],
      ['guardrails[1].command', 'make'],
    ],
  ],
  [
    { guardrails: [{ verify: 'external', config: { command: 'sh x', strict: false } }] },
    [
      ['guardrails[0].verify', 'external'],
      ['guardrails[0].config.command', 'sh x'],
      ['guardrails[0].config.strict', 'false'],
    ],
  ],
  [
    { scm: { tasks: ['commit', 'push'], command: 'git' } },
    [
      ['scm.command', 'git'],
      ['scm.tasks[0]', 'commit'],
      ['scm.tasks[1]', 'push'],
    ],
  ],
  [
    {
      pipeline: {
        rounds: 3,
        roles: { tester: { maxIterations: 2, command: 'npm t' }, coder: { command: null } },
      },
    },
    [['pipeline.roles.tester.command', 'npm t']],
  ],
  [{ env: { pass: ['AWS_*'], drop: ['X'] } }, [['env.pass[0]', 'AWS_*']]],
  [{ protect: ['test/**'] }, [['protect[0]', 'test/**']]],
  [
    { sandbox: { mode: 'none', allowedDomains: ['example.com'], allowWrite: [] } },
    [
      ['sandbox.allowedDomains[0]', 'example.com'],
      ['sandbox.mode', 'none'],
    ],
  ],
  [{ blocklist: { allow: ['rm -rf'] } }, [['blocklist.allow[0]', 'rm -rf']]],
  [
    { notify: { bell: true, webhook: 'https://example.com', command: 'say done' } },
    [
      ['notify.command', 'say done'],
      ['notify.webhook', 'https://example.com'],
    ],
  ],
])('%j has the risks %j', (settings, expected) => {
  expect(risks(settings)).toEqual(expected.map(([where, what]) => ({ where, what })))
})

test.each([
  {},
  null,
  undefined,
  'text',
  [],
  { maximumIterations: 3, completionResponse: 'DONE', baseline: false, budget: { usd: 3 }, killGrace: 1 },
  {
    agent: { model: 'opus', flags: [] },
    guardrails: [],
    env: { drop: ['X'], pass: [] },
    notify: { command: null },
  },
  { agent: 'claude', guardrails: 'x', env: null },
])('%j has none', settings => {
  expect(risks(settings)).toEqual([])
})

test('the order is the same however the file is ordered', () => {
  const one = {
    guardrails: [{ command: 'a' }],
    agent: { flags: ['-x'], command: 'c' },
    scm: { tasks: ['t'], command: 'g' },
  }
  const other = {
    scm: { command: 'g', tasks: ['t'] },
    agent: { command: 'c', flags: ['-x'] },
    guardrails: [{ command: 'a' }],
  }
  expect(risks(one)).toEqual(risks(other))
  expect(risks(one).map(risk => risk.where)).toEqual([
    'agent.command',
    'agent.flags[0]',
    'guardrails[0].command',
    'scm.command',
    'scm.tasks[0]',
  ])
})

test('a key with a dot in it is not taken for two keys', () => {
  const config = (value: object) => risks({ guardrails: [{ verify: 'external', config: value }] })
  expect(config({ 'a.b': 'x' })).not.toEqual(config({ a: { b: 'x' } }))
})
