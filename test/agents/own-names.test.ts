import { expect, test } from 'vitest'
import { ownNames } from '../../src/agents/index.ts'
import { filterEnvironment } from '../../src/settings/environment.ts'

const KEYS = [
  'ANTHROPIC_API_KEY',
  'CLAUDE_CODE_OAUTH_TOKEN',
  'OPENAI_API_KEY',
  'CODEX_API_KEY',
  'AZURE_OPENAI_API_KEY',
  'AZURE_CLIENT_SECRET',
  'AWS_SECRET_ACCESS_KEY',
  'GOOGLE_APPLICATION_CREDENTIALS',
  'VERTEX_KEY',
  'GEMINI_API_KEY',
  'AMP_API_KEY',
  'GITHUB_TOKEN',
  'OPENROUTER_API_KEY',
  'NPM_TOKEN',
]

const CLAUDE = ['ANTHROPIC_API_KEY', 'CLAUDE_CODE_OAUTH_TOKEN']
const VERTEX = ['GOOGLE_APPLICATION_CREDENTIALS', 'VERTEX_KEY']

test.each<[string, Record<string, string>, string[]]>([
  ['claude', {}, CLAUDE],
  ['claude', { CLAUDE_CODE_USE_BEDROCK: '1' }, [...CLAUDE, 'AWS_SECRET_ACCESS_KEY']],
  ['claude', { CLAUDE_CODE_USE_BEDROCK: 'true' }, [...CLAUDE, 'AWS_SECRET_ACCESS_KEY']],
  ['claude', { CLAUDE_CODE_USE_BEDROCK: '0' }, CLAUDE],
  ['claude', { CLAUDE_CODE_USE_BEDROCK: '' }, CLAUDE],
  ['claude', { CLAUDE_CODE_USE_VERTEX: '1' }, [...CLAUDE, ...VERTEX]],
  ['claude', { CLAUDE_CODE_USE_FOUNDRY: '1' }, [...CLAUDE, 'AZURE_OPENAI_API_KEY', 'AZURE_CLIENT_SECRET']],
  ['codex', { CLAUDE_CODE_USE_BEDROCK: '1' }, ['OPENAI_API_KEY', 'CODEX_API_KEY', 'AZURE_OPENAI_API_KEY']],
  ['amp', {}, ['AMP_API_KEY']],
  ['gemini', {}, ['GOOGLE_APPLICATION_CREDENTIALS', 'GEMINI_API_KEY']],
  ['copilot', {}, ['GITHUB_TOKEN']],
  [
    'opencode',
    {},
    [
      'ANTHROPIC_API_KEY',
      'OPENAI_API_KEY',
      'GOOGLE_APPLICATION_CREDENTIALS',
      'GEMINI_API_KEY',
      'OPENROUTER_API_KEY',
    ],
  ],
  ['my-own-agent', {}, []],
  ['constructor', {}, []],
])('%s with %j gets its own keys and no others', (agent, env, names) => {
  const all = Object.fromEntries(KEYS.map(name => [name, 'x']))
  const kept = filterEnvironment(all, { own: ownNames(agent, env), pass: [], drop: [] }).env
  expect(Object.keys(kept).sort()).toEqual([...names].sort())
})
