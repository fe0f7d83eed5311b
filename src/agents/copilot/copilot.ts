import type { Agent } from '../../core/ports.ts'
import { type Cli, hasFlag, ifSupported } from '../cli.ts'
import { textParser } from '../shared/text.ts'
import { troubleOf } from '../shared/trouble.ts'
import { copilotParser } from './stream.ts'

/** With any of these the user has set permissions, and the bypass flag would override them. */
const PERMISSIONS = ['--allow-all-tools', '--allow-all', '--yolo', '--allow-tool', '--assisted-approval']

/** In text mode errors go to standard error and begin with the HTTP status (err-429-retry-after-text.stderr.txt). */
const readErrorLine = (line: string) => troubleOf(line, Number(/^(\d{3}) /.exec(line)?.[1]))

const make = (program = 'copilot'): Agent => ({
  name: 'copilot',
  command(ask, able) {
    const argv = [program]
    if (ask.mode === 'stream') argv.push(...ifSupported(able, '--output-format', 'json'))
    // Without -s its text includes what tools printed.
    else if (!hasFlag(ask.flags, '-s', '--silent')) argv.push(...ifSupported(able, '-s'))
    if (!ask.isolated && !hasFlag(ask.flags, ...PERMISSIONS))
      argv.push(...ifSupported(able, '--allow-all-tools'))
    if (!hasFlag(ask.flags, '--no-auto-update')) argv.push(...ifSupported(able, '--no-auto-update'))
    if (ask.model !== null && !hasFlag(ask.flags, '--model')) argv.push('--model', ask.model)
    return { argv: [...argv, ...ask.flags], env: {}, stdin: ask.prompt }
  },
  reports: () => null,
  parser: mode => (mode === 'stream' ? copilotParser() : textParser(readErrorLine)),
})

/** GitHub's Copilot CLI. */
export const copilot: Cli = {
  make,
  streamWord: /^(?:--output-format=)?json$/,
  helpArgs: ['--help'],
  ownEnv: ['COPILOT_*', 'GH_TOKEN', 'GITHUB_TOKEN'],
  payments: [
    { variable: 'COPILOT_PROVIDER_BASE_URL', kind: 'a provider of your own' },
    { variable: 'COPILOT_GITHUB_TOKEN', kind: 'GitHub token' },
    { variable: 'GH_TOKEN', kind: 'GitHub token' },
    { variable: 'GITHUB_TOKEN', kind: 'GitHub token' },
  ],
  // Run where the user has told copilot to trust the folder (1.0.102), and so do the hooks in claude's settings.
  loads: [
    { path: '.github/hooks/*.json', holds: { except: ['version'] } },
    { path: '.github/copilot/settings.json', holds: { except: ['$schema', 'theme'] } },
    { path: '.github/copilot/settings.local.json', holds: { except: ['$schema', 'theme'] } },
    { path: '.github/mcp.json', holds: { except: [] } },
    { path: '.github/lsp.json', holds: { except: [] } },
  ],
  needs: {
    hosts: ['api.github.com', 'github.com', '*.githubcopilot.com'],
    addresses: ['COPILOT_PROVIDER_BASE_URL'],
    state: ['.copilot', '.cache/copilot'],
    logins: ['.copilot/config.json'],
    chatter: [],
  },
  npmPackage: '@github/copilot',
}
