import { expect, test } from 'vitest'
import { schema } from '../../src/settings/schema.ts'
import { risks } from '../../src/settings/trust.ts'

test.each<[object, Record<string, string>]>([
  [{ agent: { command: './agent.sh' } }, { 'agent.command': './agent.sh' }],
  [
    { agent: { flags: ['--model opus', '--yolo'] } },
    { 'agent.flags[0]': '--model opus', 'agent.flags[1]': '--yolo' },
  ],
  [
    { agents: { reviewer: { flags: ['-x'], command: 'codex' } } },
    { 'agents.reviewer.command': 'codex', 'agents.reviewer.flags[0]': '-x' },
  ],
  [{ fallbackAgents: [{ command: 'codex' }] }, { 'fallbackAgents[0].command': 'codex' }],
  [{ fallbackAgents: ['./codex'] }, { 'fallbackAgents[0]': './codex' }],
  [
    { guardrails: [{ command: 'npm test', hint: 'h', timeout: 3 }, { command: 'make' }] },
    {
      'guardrails[0].command': 'npm test',
      'guardrails[0].hint': 'h',
      'guardrails[0].timeout': '3',
      'guardrails[1].command': 'make',
    },
  ],
  [
    { guardrails: [{ verify: 'external', config: { command: 'sh x', strict: false } }] },
    {
      'guardrails[0].config.command': 'sh x',
      'guardrails[0].config.strict': 'false',
      'guardrails[0].verify': 'external',
    },
  ],
  [
    { scm: { tasks: ['commit', 'push'], command: 'git' } },
    { 'scm.command': 'git', 'scm.tasks[0]': 'commit', 'scm.tasks[1]': 'push' },
  ],
  [
    {
      pipeline: {
        rounds: 3,
        roles: { tester: { maxIterations: 2, check: 'npm t' }, coder: { check: null } },
      },
    },
    { 'pipeline.roles.tester.check': 'npm t', 'pipeline.roles.tester.maxIterations': '2' },
  ],
  [{ env: { pass: ['AWS_*'], drop: ['X'] } }, { 'env.drop[0]': 'X', 'env.pass[0]': 'AWS_*' }],
  [{ agent: { model: 'opus' } }, { 'agent.model': 'opus' }],
  [
    { fallbackAgents: [{ command: 'codex', model: 'm' }] },
    { 'fallbackAgents[0].command': 'codex', 'fallbackAgents[0].model': 'm' },
  ],
  [
    { review: { skip: true, atCap: 'block', cap: 1 } },
    { 'review.atCap': 'block', 'review.cap': '1', 'review.skip': 'true' },
  ],
  [
    { completionResponse: 'the', completionHint: false },
    { completionHint: 'false', completionResponse: 'the' },
  ],
  [
    { claude: { backgroundTasks: true, disallowedTools: [] } },
    { 'claude.backgroundTasks': 'true', 'claude.disallowedTools': 'none' },
  ],
  [
    { maximumIterations: 1e6, iterationTimeout: 2e6, budget: { usd: 3 } },
    { 'budget.usd': '3', iterationTimeout: '2000000', maximumIterations: '1000000' },
  ],
  [{ someLaterKey: { deep: ['x'] } }, { 'someLaterKey.deep[0]': 'x' }],
  [{ protect: ['test/**'] }, { 'protect[0]': 'test/**' }],
  [
    { sandbox: { mode: 'none', allowedDomains: ['example.com'], allowWrite: [] } },
    { 'sandbox.allowedDomains[0]': 'example.com', 'sandbox.mode': 'none' },
  ],
  [{ blocklist: { allow: ['rm -rf'] } }, { 'blocklist.allow[0]': 'rm -rf' }],
  [
    { notify: { bell: true, webhook: 'https://example.com', command: 'say done' } },
    { 'notify.command': 'say done', 'notify.webhook': 'https://example.com' },
  ],
])('%j has the risks %j', (settings, expected) => {
  expect(risks(settings)).toEqual(Object.entries(expected).map(([where, what]) => ({ where, what })))
})

test.each([
  {},
  null,
  undefined,
  'text',
  [],
  { $schema: 'x', output: { emoji: false, maxLines: 3 } },
  { maximumIterations: 10, completionResponse: 'DONE', baseline: true, budget: { usd: null }, review: {} },
  { agent: { model: null, flags: [] }, guardrails: [], env: { pass: [] }, notify: { command: null } },
  { env: null, scm: null },
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

test('every key needs trust but those that only change how things look', () => {
  const asked = Object.keys(schema.shape).filter(key => risks({ [key]: 'x' }).length > 0)
  expect(Object.keys(schema.shape).filter(key => !asked.includes(key))).toEqual(['$schema', 'output'])
})
