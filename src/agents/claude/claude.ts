import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Agent, Ask, Capabilities } from '../../core/ports.ts'
import { apiKeys, type Cli, hasFlag, ifSupported } from '../cli.ts'
import { textParser } from '../shared/text.ts'
import { claudeParser } from './stream.ts'

/** With any of these the user has set permissions, and the bypass flag would override them. */
const PERMISSIONS = [
  '--dangerously-skip-permissions',
  '--permission-mode',
  '--allowedTools',
  '--allowed-tools',
]

const CENT = 0.01

/** Nothing but an answer: no tools, no servers, no settings of anybody, nothing kept. */
const isolation = (able: Capabilities): string[] => [
  ...ifSupported(able, '--restricted'),
  ...ifSupported(able, '--tools', ''),
  ...ifSupported(able, '--strict-mcp-config'),
  ...ifSupported(able, '--setting-sources', ''),
  ...ifSupported(able, '--no-session-persistence'),
]

/** Only if its help says so: without the flag the answer would be prose, and claude would still exit with 0. */
const schemaAnswer = (able: Capabilities) => (able.flags?.has('--json-schema') ? 'apart' : null)

/** Settings that override those of the project and the user. */
function settings({ marks, confined }: Ask, able: Capabilities): string[] {
  const over = {
    // An `env` in the project's .claude/settings.json overrides the environment.
    ...(marks && { env: marks }),
    // Its own sandbox cannot be made inside another, and then its shell would fail.
    ...(confined && { sandbox: { enabled: false } }),
  }
  return Object.keys(over).length === 0 ? [] : ifSupported(able, '--settings', JSON.stringify(over))
}

const make = (program = 'claude'): Agent => ({
  name: 'claude',
  bypass: '--dangerously-skip-permissions',
  smallModel: 'haiku',
  schemaAnswer,
  command(ask, able) {
    const argv = [program, '-p']
    if (ask.mode === 'stream')
      // It refuses to stream without --verbose.
      argv.push(...ifSupported(able, '--output-format', 'stream-json'), ...ifSupported(able, '--verbose'))
    else argv.push(...ifSupported(able, '--output-format', 'text'))
    const toolless = ask.withoutTools !== undefined && able.flags?.has('--tools')
    if (ask.isolated) argv.push(...isolation(able))
    // Without tools, and without the hooks and servers that the project's own settings would start.
    else if (toolless)
      argv.push(
        '--tools',
        '',
        ...ifSupported(able, '--strict-mcp-config'),
        ...ifSupported(able, '--setting-sources', 'user'),
      )
    else if (!hasFlag(ask.flags, ...PERMISSIONS))
      argv.push(...ifSupported(able, '--dangerously-skip-permissions'))
    // Joined by `=`: as a separate word, it would take the words after it too.
    if (ask.disallowedTools?.length)
      argv.push(
        ...ifSupported(able, '--disallowedTools').map(flag => `${flag}=${ask.disallowedTools?.join(',')}`),
      )
    if (ask.schema && schemaAnswer(able)) argv.push('--json-schema', ask.schema.text)
    if (ask.plugin && !ask.isolated && !hasFlag(ask.flags, '--plugin-dir'))
      argv.push(...ifSupported(able, '--plugin-dir', ask.plugin))
    if (!ask.isolated && !hasFlag(ask.flags, '--settings')) argv.push(...settings(ask, able))
    if (ask.model !== null && !hasFlag(ask.flags, '--model')) argv.push('--model', ask.model)
    const budget = '--max-budget-usd'
    if (ask.budgetUsd !== null && !hasFlag(ask.flags, budget))
      argv.push(...ifSupported(able, budget, Math.max(ask.budgetUsd, CENT).toFixed(2)))
    // As root, claude refuses its bypass flag unless a variable says that this is a sandbox.
    const env: Record<string, string> = ask.root ? { IS_SANDBOX: '1' } : {}
    if (!ask.backgroundTasks) env.CLAUDE_CODE_DISABLE_BACKGROUND_TASKS = '1'
    const stdin = toolless ? `${ask.prompt}\n\n${ask.withoutTools}` : ask.prompt
    return { argv: [...argv, ...ask.flags], env, stdin }
  },
  reports: mode => (mode === 'stream' ? 'cost' : null),
  parser: mode => (mode === 'stream' ? claudeParser() : textParser()),
})

/** Claude Code. */
export const claude: Cli = {
  make,
  streamWord: /stream-json$/,
  lastWritten,
  helpArgs: ['--help'],
  ownEnv: ['ANTHROPIC_*', 'CLAUDE_*'],
  ownEnvWhen: {
    CLAUDE_CODE_USE_BEDROCK: ['AWS_*'],
    CLAUDE_CODE_USE_VERTEX: ['GOOGLE_*', 'VERTEX_*'],
    CLAUDE_CODE_USE_FOUNDRY: ['AZURE_*'],
  },
  payments: [
    { variable: 'CLAUDE_CODE_USE_BEDROCK', kind: 'Amazon Bedrock' },
    { variable: 'CLAUDE_CODE_USE_VERTEX', kind: 'Google Vertex' },
    { variable: 'CLAUDE_CODE_USE_FOUNDRY', kind: 'Microsoft Foundry' },
    { variable: 'ANTHROPIC_AUTH_TOKEN', kind: 'bearer token' },
    ...apiKeys('ANTHROPIC_API_KEY'),
    { variable: 'CLAUDE_CODE_OAUTH_TOKEN', kind: 'subscription token' },
  ],
  // Run in -p without a question (2.1.325): hooks, apiKeyHelper and the servers of .mcp.json.
  loads: [
    ...['.claude/settings.json', '.claude/settings.local.json'].map(path => ({
      path,
      holds: {
        except: ['$schema', 'permissions', 'attribution', 'includeCoAuthoredBy', 'cleanupPeriodDays'],
      },
    })),
    { path: '.mcp.json', holds: { except: [] } },
    ...['commands/*.md', 'commands/*/*.md', 'agents/*.md', 'agents/*/*.md', 'skills/*/SKILL.md'].map(
      path => ({ path: `.claude/${path}`, holds: 'prompt' as const }),
    ),
  ],
  needs: {
    hosts: ['api.anthropic.com', 'console.anthropic.com', 'platform.claude.com'],
    addresses: ['ANTHROPIC_BASE_URL'],
    state: ['.claude', '.claude.json'],
    logins: ['.claude/.credentials.json'],
    // Beside its file it writes another one first; without it, it writes in place.
    chatter: ['~/.claude.json.*'],
  },
  npmPackage: '@anthropic-ai/claude-code',
}

/**
 * When claude last wrote to the transcript of a session that began in this folder after a time, or null if there is none.
 * It writes one even if it prints nothing but its last answer. Times are in ms since the epoch.
 */
function lastWritten(cwd: string, env: Record<string, string>, since: number): number | null {
  const own = env.CLAUDE_CONFIG_DIR || join(env.HOME ?? '', '.claude')
  const folder = join(own, 'projects', cwd.replace(/[^A-Za-z0-9]/g, '-'))
  try {
    const times = readdirSync(folder)
      .filter(name => name.endsWith('.jsonl'))
      .map(name => statSync(join(folder, name)))
      .filter(({ birthtimeMs }) => birthtimeMs >= since)
      .map(({ mtimeMs }) => mtimeMs)
    return times.length > 0 ? Math.max(...times) : null
  } catch {
    return null
  }
}
