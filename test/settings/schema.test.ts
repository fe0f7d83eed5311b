import { expect, test } from 'vitest'
import { loadSettings } from '../../src/settings/load.ts'
import { folder, project } from './project.ts'

const ROLE = { enabled: true, skip: false, maxIterations: null, check: null, prompt: null, writes: null }

test('a project without settings has the defaults', () => {
  expect(loadSettings(folder()).settings).toEqual({
    maximumIterations: 10,
    completionResponse: 'DONE',
    completionHint: true,
    outputTruncateChars: 5000,
    streamAgentOutput: true,
    includeIterationCountInPrompt: false,
    agent: { command: null, flags: [], model: null },
    claude: {
      backgroundTasks: false,
      disallowedTools: ['ScheduleWakeup', 'CronCreate', 'EnterWorktree', 'ExitWorktree', 'AskUserQuestion'],
    },
    agents: {},
    fallbackAgents: [],
    guardrails: [],
    guardrailParallelism: 1,
    baseline: true,
    scm: null,
    inactivityTimeout: 300,
    screenInactivityTimeout: 60,
    iterationTimeout: 7200,
    killGrace: 5,
    maxConsecutiveFailures: 5,
    maxBugFixes: 3,
    stuckAfter: 3,
    maxLimitWait: 21_600,
    budget: { usd: null, tokens: null, minutes: null },
    prices: {},
    review: { cap: 5, skip: false, atCap: 'approve', submitWithin: 6, verdictWithin: 3 },
    pipeline: {
      enabled: true,
      maxIterations: null,
      verification: 'string_match',
      rounds: 3,
      onJudgeError: 'again',
      order: ['coder', 'reviewer', 'tester', 'qa'],
      roles: { coder: ROLE, reviewer: ROLE, tester: ROLE, qa: ROLE },
    },
    parallel: 1,
    testChanges: 'claim',
    protect: [],
    sandbox: {
      mode: 'auto',
      allowedDomains: [],
      checks: 'inside',
      checkDomains: [],
      allowWrite: [],
      denyRead: [],
    },
    env: { pass: [], drop: [] },
    blocklist: { allow: [] },
    output: { emoji: true, color: 'auto', timestamps: false, maxLines: 12, maxChars: 2000 },
    worktree: { setup: null, teardown: null, copy: [] },
    notify: { command: null, webhook: null, bell: true, title: true, desktop: true },
  })
})

test('every key that is built is taken as it is given', () => {
  const given = {
    maximumIterations: 1,
    completionResponse: '',
    completionHint: false,
    outputTruncateChars: 0,
    streamAgentOutput: false,
    includeIterationCountInPrompt: true,
    agent: { command: '/usr/bin/codex', flags: ['--model opus', ''], model: 'gpt' },
    guardrails: [
      { command: 'make lint', failAction: 'REPLACE', hint: 'Fix lint errors only.', timeout: 0.5 },
    ],
    baseline: false,
    inactivityTimeout: 0.25,
    iterationTimeout: 2_147_483,
    killGrace: 0,
    maxConsecutiveFailures: 1,
    stuckAfter: 1,
    maxLimitWait: 0,
    budget: { usd: 0.01, tokens: 1, minutes: 0.5 },
    blocklist: { allow: ['npm publish --tag *'] },
    env: { pass: ['AWS_*', 'NPM_TOKEN'], drop: ['*'] },
  }
  const { settings } = loadSettings(
    project({ 'settings.json': { $schema: 'https://example.com/s.json', ...given } }),
  )
  expect(settings).toMatchObject(given)
  expect(settings).not.toHaveProperty('$schema')
})

test('a guardrail may leave out everything but its command', () => {
  const { settings } = loadSettings(project({ 'settings.json': { guardrails: [{ command: 'npm test' }] } }))
  expect(settings.guardrails).toEqual([{ command: 'npm test', failAction: 'APPEND', timeout: 900 }])
})

test('a fallback agent may be a bare name', () => {
  const given = ['codex', { command: 'claude', model: 'sonnet', flags: ['--x y'] }]
  const { settings } = loadSettings(project({ 'settings.json': { fallbackAgents: given } }))
  expect(settings.fallbackAgents).toEqual([{ command: 'codex', flags: [], model: null }, given[1]])
})

test.each(['append', 'Prepend', 'rePLACE'])('failAction %s is read in any case', failAction => {
  const { settings } = loadSettings(
    project({ 'settings.json': { guardrails: [{ command: 'x', failAction }] } }),
  )
  expect(settings.guardrails[0]).toMatchObject({ failAction: failAction.toUpperCase() })
})

test.each<[string | number, number]>([
  ['6h', 21_600],
  ['30m', 1800],
  ['90s', 90],
  ['1h30m', 5400],
  ['1h30m15s', 5415],
  ['1.5h', 5400],
  ['0s', 0],
  [45, 45],
])('maxLimitWait %j is %d seconds', (maxLimitWait, seconds) => {
  expect(loadSettings(project({ 'settings.json': { maxLimitWait } })).settings.maxLimitWait).toBe(seconds)
})

test('resolved settings survive JSON, as a journal needs it', () => {
  const { settings } = loadSettings(
    project({ 'settings.json': { guardrails: [{ command: 'npm test', hint: 'h' }], maxLimitWait: '2h' } }),
  )
  expect(JSON.parse(JSON.stringify(settings))).toEqual(settings)
})
