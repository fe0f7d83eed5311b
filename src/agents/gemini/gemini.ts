import type { Agent } from '../../core/ports.ts'
import { apiKeys, type Cli, hasFlag, ifSupported } from '../cli.ts'
import { textParser } from '../shared/text.ts'
import { geminiParser } from './stream.ts'

/** With any of these the user has set permissions. --yolo would override them, or gemini would refuse both. */
const PERMISSIONS = ['-y', '--yolo', '--approval-mode', '--allowed-tools']

const make = (program = 'gemini'): Agent => ({
  name: 'gemini',
  command(ask, able) {
    const argv = [program, ...ifSupported(able, '-o', ask.mode === 'stream' ? 'stream-json' : 'text')]
    if (!ask.isolated && !hasFlag(ask.flags, ...PERMISSIONS)) argv.push(...ifSupported(able, '--yolo'))
    // In a folder that it does not trust, gemini refuses to work unattended.
    if (!hasFlag(ask.flags, '--skip-trust')) argv.push(...ifSupported(able, '--skip-trust'))
    if (ask.model !== null && !hasFlag(ask.flags, '-m', '--model')) argv.push('-m', ask.model)
    return { argv: [...argv, ...ask.flags], env: {}, stdin: ask.prompt }
  },
  reports: mode => (mode === 'stream' ? 'tokens' : null),
  parser: mode => (mode === 'stream' ? geminiParser() : textParser()),
})

/** Variables that gemini, Node or the programs that they start obey. */
const OBEYED =
  /^(?!NODE_ENV$)(?:(?:GEMINI|GOOGLE|CODE_ASSIST|CLOUD|SANDBOX|SEATBELT|OTEL|NODE|NPM|SSL|GIT|LD|DYLD|BASH|PYTHON)_|(?:\w+_)?PROXY$|SANDBOX$|ENV$|EDITOR$|VISUAL$|PAGER$)/i

/** Google's Gemini CLI. */
export const gemini: Cli = {
  make,
  streamWord: /stream-json$/,
  helpArgs: ['--help'],
  ownEnv: ['GEMINI_*', 'GOOGLE_*'],
  payments: apiKeys('GEMINI_API_KEY', 'GOOGLE_API_KEY'),
  // Except for the environment, run where the user has told gemini to trust the folder (0.61.0).
  loads: [
    { path: '.gemini/settings.json', holds: { except: ['$schema', 'ui', 'theme', 'context'] } },
    { path: '.gemini/.env', holds: 'code' },
    { path: '.env', holds: { variables: OBEYED } },
    {
      path: '.gemini/extensions/*/gemini-extension.json',
      holds: { except: ['name', 'version', 'contextFileName'] },
    },
  ],
  needs: {
    hosts: ['generativelanguage.googleapis.com', 'cloudcode-pa.googleapis.com', 'oauth2.googleapis.com'],
    addresses: ['GOOGLE_GEMINI_BASE_URL'],
    state: ['.gemini'],
    logins: ['.gemini/oauth_creds.json'],
    chatter: [],
  },
  npmPackage: '@google/gemini-cli',
}
