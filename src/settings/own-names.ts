type Ownership = {
  names: readonly string[]
  /** Names of a provider behind the agent: its own only while the variable of that name turns it on. */
  when?: Readonly<Record<string, readonly string[]>>
}

/** Which variables are an agent's own, by its name. Any other agent has none: `env.pass` says what it needs. */
const OWN = new Map<string, Ownership>([
  [
    'claude',
    {
      names: ['ANTHROPIC_*', 'CLAUDE_*'],
      when: {
        CLAUDE_CODE_USE_BEDROCK: ['AWS_*'],
        CLAUDE_CODE_USE_VERTEX: ['GOOGLE_*', 'VERTEX_*'],
        CLAUDE_CODE_USE_FOUNDRY: ['AZURE_*'],
      },
    },
  ],
  ['codex', { names: ['OPENAI_*', 'CODEX_*', 'AZURE_OPENAI_*'] }],
  ['amp', { names: ['AMP_*'] }],
  ['gemini', { names: ['GEMINI_*', 'GOOGLE_*'] }],
  ['copilot', { names: ['COPILOT_*', 'GH_TOKEN', 'GITHUB_TOKEN'] }],
  ['opencode', { names: ['OPENCODE_*', 'ANTHROPIC_*', 'OPENAI_*', 'GEMINI_*', 'GOOGLE_*', 'OPENROUTER_*'] }],
])

/** The names and patterns that an agent may have although they look secret. */
export function ownNames(
  agent: string,
  env: Readonly<Record<string, string | undefined>>,
): readonly string[] {
  const own = OWN.get(agent)
  if (!own) return []
  const behind = Object.entries(own.when ?? {}).filter(([name]) => isOn(env[name]))
  return [...own.names, ...behind.flatMap(([, names]) => names)]
}

const isOn = (value = ''): boolean => !['', '0', 'false', 'no', 'off'].includes(value.trim().toLowerCase())
