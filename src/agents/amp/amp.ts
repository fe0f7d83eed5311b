import type { Agent } from '../../core/ports.ts'
import { apiKeys, type Cli, hasFlag, ifSupported } from '../cli.ts'
import { textParser } from '../shared/text.ts'
import { ampParser, noticeLogin } from './stream.ts'

const BYPASS = '--dangerously-allow-all'

const make = (program = 'amp'): Agent => ({
  name: 'amp',
  command(ask, able) {
    const argv = [program]
    if (ask.mode === 'stream') argv.push(...ifSupported(able, '--stream-json'))
    // Not `ifSupported`: amp accepts this flag although its help does not list it.
    if (!ask.isolated && !hasFlag(ask.flags, BYPASS)) argv.push(BYPASS)
    // Amp has no choice of a model, only of a mode, which stands for one.
    if (ask.model !== null && !hasFlag(ask.flags, '-m', '--mode')) argv.push('--mode', ask.model)
    argv.push(...ask.flags)
    // Last, because it takes the next word as the prompt.
    if (!hasFlag(ask.flags, '-x', '--execute')) argv.push('-x')
    return { argv, env: {}, stdin: ask.prompt }
  },
  reports: mode => (mode === 'stream' ? 'tokens' : null),
  parser: mode => (mode === 'stream' ? ampParser() : noticeLogin(textParser())),
})

/** Sourcegraph's Amp. */
export const amp: Cli = {
  make,
  streamWord: /^--stream-json(?:-thinking)?$/,
  helpArgs: ['--help'],
  ownEnv: ['AMP_*'],
  payments: apiKeys('AMP_API_KEY'),
  // Plugins run at its start (0.0.1790142911). The rest is as its manual says.
  loads: [
    { path: '.amp/settings.json', holds: { except: ['$schema'] } },
    { path: '.amp/settings.jsonc', holds: { except: ['$schema'] } },
    { path: '.amp/plugins/*', holds: 'code' },
    { path: '.agents/skills/*/mcp.json', holds: { except: [] } },
    { path: '.claude/skills/*/mcp.json', holds: { except: [] } },
  ],
  needs: {
    hosts: ['ampcode.com', '*.ampcode.com'],
    addresses: ['AMP_URL'],
    state: ['.config/amp', '.local/share/amp', '.cache/amp'],
    logins: ['.local/share/amp/secrets.json'],
    chatter: [],
  },
  npmPackage: '@sourcegraph/amp',
}
