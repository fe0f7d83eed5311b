import type { Agent } from '../../core/ports.ts'
import { apiKeys, type Cli, hasFlag, ifSupported } from '../cli.ts'
import { textParser } from '../shared/text.ts'
import { opencodeParser } from './stream.ts'

/** The last two are old spellings that opencode still accepts but does not list. */
const PERMISSIONS = ['--auto', '--no-auto', '--yolo', '--dangerously-skip-permissions']

const make = (program = 'opencode'): Agent => ({
  name: 'opencode',
  command(ask, able) {
    const argv = [
      program,
      'run',
      ...ifSupported(able, '--format', ask.mode === 'stream' ? 'json' : 'default'),
    ]
    if (!ask.isolated && !hasFlag(ask.flags, ...PERMISSIONS)) argv.push(...ifSupported(able, '--auto'))
    if (ask.model !== null && !hasFlag(ask.flags, '-m', '--model')) argv.push('-m', ask.model)
    return { argv: [...argv, ...ask.flags], env: {}, stdin: ask.prompt }
  },
  reports: mode => (mode === 'stream' ? 'cost' : null),
  parser: mode => (mode === 'stream' ? opencodeParser() : textParser()),
})

/** OpenCode. A model is named with its provider: `anthropic/claude-opus-5-5`. */
export const opencode: Cli = {
  make,
  streamWord: /^(?:--format=)?json$/,
  helpArgs: ['run', '--help'],
  ownEnv: ['OPENCODE_*', 'ANTHROPIC_*', 'OPENAI_*', 'GEMINI_*', 'GOOGLE_*', 'OPENROUTER_*'],
  payments: apiKeys(
    'ANTHROPIC_API_KEY',
    'OPENAI_API_KEY',
    'GEMINI_API_KEY',
    'GOOGLE_API_KEY',
    'OPENROUTER_API_KEY',
  ),
  // Plugins run at its start (1.18.33), and packages that package.json names are installed.
  loads: [
    ...['opencode.json', 'opencode.jsonc', '.opencode/opencode.json', '.opencode/opencode.jsonc'].map(
      path => ({
        path,
        holds: { except: ['$schema', 'theme', 'keybinds', 'tui', 'instructions', 'username'] },
      }),
    ),
    ...['plugin', 'plugins', 'tool', 'tools'].flatMap(folder =>
      ['*.js', '*.ts'].map(name => ({ path: `.opencode/${folder}/${name}`, holds: 'code' as const })),
    ),
    { path: '.opencode/package.json', holds: { except: ['name', 'version', 'private', 'type'] } },
    ...['command', 'commands', 'agent', 'agents'].map(folder => ({
      path: `.opencode/${folder}/*.md`,
      holds: 'prompt' as const,
    })),
  ],
  needs: {
    hosts: ['opencode.ai', 'models.opencode.ai', 'models.dev', 'api.anthropic.com', 'api.openai.com'],
    addresses: [],
    state: ['.config/opencode', '.local/share/opencode', '.local/state/opencode', '.cache/opencode'],
    logins: ['.local/share/opencode/auth.json'],
    chatter: [],
  },
  npmPackage: 'opencode-ai',
}
