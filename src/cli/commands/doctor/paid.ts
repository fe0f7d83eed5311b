/** Variables that decide who pays, the one that counts first at the front. */
type Ways = readonly { name: string; kind: string }[]

const apiKeys = (...names: string[]): Ways => names.map(name => ({ name, kind: 'API key' }))

const WAYS = new Map<string, Ways>([
  [
    'claude',
    [
      { name: 'CLAUDE_CODE_USE_BEDROCK', kind: 'Amazon Bedrock' },
      { name: 'CLAUDE_CODE_USE_VERTEX', kind: 'Google Vertex' },
      { name: 'CLAUDE_CODE_USE_FOUNDRY', kind: 'Microsoft Foundry' },
      { name: 'ANTHROPIC_AUTH_TOKEN', kind: 'bearer token' },
      ...apiKeys('ANTHROPIC_API_KEY'),
      { name: 'CLAUDE_CODE_OAUTH_TOKEN', kind: 'subscription token' },
    ],
  ],
  // It does not read OPENAI_API_KEY unless one logs in with it.
  ['codex', apiKeys('CODEX_API_KEY')],
  ['amp', apiKeys('AMP_API_KEY')],
  ['gemini', apiKeys('GEMINI_API_KEY', 'GOOGLE_API_KEY')],
  [
    'copilot',
    [
      { name: 'COPILOT_PROVIDER_BASE_URL', kind: 'a provider of your own' },
      ...['COPILOT_GITHUB_TOKEN', 'GH_TOKEN', 'GITHUB_TOKEN'].map(name => ({ name, kind: 'GitHub token' })),
    ],
  ],
  [
    'opencode',
    apiKeys('ANTHROPIC_API_KEY', 'OPENAI_API_KEY', 'GEMINI_API_KEY', 'GOOGLE_API_KEY', 'OPENROUTER_API_KEY'),
  ],
])

/** How a run of an agent is paid, told from the names of the variables it gets; null for an agent nobody looked at. */
export function tellPaid(agent: string, names: readonly string[]): string | null {
  const ways = WAYS.get(agent)
  if (!ways) return null
  const way = ways.find(({ name }) => names.includes(name))
  return way ? `${way.kind} (${way.name})` : 'its own login'
}
