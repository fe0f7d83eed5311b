import type { Agent, Capabilities } from '../../core/ports.ts'
import { apiKeys, type Cli, hasFlag, ifSupported } from '../cli.ts'
import { textParser } from '../shared/text.ts'
import { troubleOf } from '../shared/trouble.ts'
import { codexParser } from './stream.ts'

/** With any of these the user has set the sandbox. The bypass flag would override it, or codex would refuse both. */
const PERMISSIONS = [
  '--dangerously-bypass-approvals-and-sandbox',
  '--yolo',
  '-s',
  '--sandbox',
  '--approve-for-me',
  '--full-auto',
]

/** In text mode its errors go to standard error (err-429-text.stderr.txt). */
const readErrorLine = (line: string) => troubleOf(line.replace(/^ERROR: /, ''))

/** Nothing but an answer: nothing of the user's configuration, and it can write nothing. */
const isolation = (able: Capabilities): string[] => [
  ...ifSupported(able, '--ephemeral'),
  ...ifSupported(able, '--ignore-user-config'),
  ...ifSupported(able, '--ignore-rules'),
  '-s',
  'read-only',
]

const schemaAnswer = (able: Capabilities) => (able.flags?.has('--output-schema') ? 'text' : null)

const make = (program = 'codex'): Agent => ({
  name: 'codex',
  schemaAnswer,
  command(ask, able) {
    const argv = [program, 'exec']
    if (ask.mode === 'stream') argv.push(...ifSupported(able, '--json'))
    if (!hasFlag(ask.flags, '--skip-git-repo-check')) argv.push(...ifSupported(able, '--skip-git-repo-check'))
    if (ask.isolated) argv.push(...isolation(able))
    else if (!hasFlag(ask.flags, ...PERMISSIONS) && !ask.flags.some(word => word.includes('sandbox_mode=')))
      argv.push(...ifSupported(able, '--dangerously-bypass-approvals-and-sandbox'))
    if (ask.schema && schemaAnswer(able)) argv.push('--output-schema', ask.schema.path)
    if (ask.model !== null && !hasFlag(ask.flags, '-m', '--model')) argv.push('-m', ask.model)
    return { argv: [...argv, ...ask.flags, '-'], env: {}, stdin: ask.prompt }
  },
  reports: mode => (mode === 'stream' ? 'tokens' : null),
  parser: mode => (mode === 'stream' ? codexParser() : textParser(readErrorLine)),
})

/** OpenAI's Codex CLI. */
export const codex: Cli = {
  make,
  streamWord: /^--json$/,
  helpArgs: ['exec', '--help'],
  ownEnv: ['OPENAI_*', 'CODEX_*', 'AZURE_OPENAI_*'],
  // It reads OPENAI_API_KEY only when somebody logs in with it.
  payments: apiKeys('CODEX_API_KEY'),
  // The servers of config.toml run in exec, even where the project is not trusted (0.166.0); hooks only once approved.
  loads: [
    { path: '.codex/config.toml', holds: 'lines' },
    { path: '.codex/hooks.json', holds: { except: ['description'] } },
    { path: '.codex/rules/*.rules', holds: 'lines' },
    { path: '.codex/agents/*.toml', holds: 'lines' },
  ],
  needs: {
    hosts: ['api.openai.com', 'auth.openai.com', 'chatgpt.com'],
    addresses: ['OPENAI_BASE_URL'],
    state: ['.codex'],
    logins: ['.codex/auth.json'],
    // It looks for updates and experiments.
    chatter: ['api.github.com', 'ab.chatgpt.com'],
  },
  npmPackage: '@openai/codex',
}
